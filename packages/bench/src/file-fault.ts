// Not the whole of core: the terminal needs this too, and help must come at once.
import { BezoarError } from '@bezoar/core/errors';

const SAID: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  EACCES: 'may not be opened; check its permissions',
  EPERM: 'may not be opened; check its permissions',
  EISDIR: 'is a folder; name a file',
  ENOTDIR: 'has a file where its path needs a folder; check the path',
  EROFS: 'is on a read-only file system; name another place',
  ENOSPC: 'cannot be written: the disk is full',
};

/** What the system says of a file, in a sentence with a remedy; any other error as it is. */
export function fileFault(error: unknown, name: string): Error {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const sentence = code === undefined ? undefined : (SAID[code] ?? (syscall === undefined ? undefined : `cannot be used (${code})`));
  return sentence ? new BezoarError('NOT_FOUND', `${name} ${sentence}`, { cause: error, details: { file: name } }) : (error as Error);
}
