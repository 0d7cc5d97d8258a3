import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../tests/memory-terminal.ts';
import { withOutput } from './write-output.ts';

describe('withOutput', () => {
  it('writes to standard output as it comes', async () => {
    const terminal = memoryTerminal();
    expect(await withOutput('-', terminal, async ({ write }) => (await write('a')) && (await write(Uint8Array.of(98))))).toBe(true);
    expect(terminal.output()).toBe('ab');
    expect(readdirSync(terminal.cwd)).toEqual([]);
  });

  it('lets a file appear only when it is whole', async () => {
    const terminal = memoryTerminal();
    const during: string[] = [];
    const returned = await withOutput('out.txt', terminal, async ({ write }) => {
      await write('one\n');
      during.push(...readdirSync(terminal.cwd));
      await write(Uint8Array.of(50, 10));
      return 7;
    });
    expect(returned).toBe(7);
    expect(during).toEqual([expect.stringMatching(/^out\.txt\.[0-9a-f]{12}\.part$/)]);
    expect(readdirSync(terminal.cwd)).toEqual(['out.txt']);
    expect(readFileSync(join(terminal.cwd, 'out.txt'), 'utf8')).toBe('one\n2\n');
  });

  it('leaves nothing of a failure, and what was there before as it was', async () => {
    const terminal = memoryTerminal();
    const failing = (path: string): Promise<unknown> =>
      withOutput(path, terminal, async ({ write }) => {
        await write('half');
        throw new Error('no more');
      });
    await expect(failing('new.txt')).rejects.toThrow('no more');
    expect(readdirSync(terminal.cwd)).toEqual([]);
    writeFileSync(join(terminal.cwd, 'old.txt'), 'old');
    await expect(failing('old.txt')).rejects.toThrow('no more');
    expect(readdirSync(terminal.cwd)).toEqual(['old.txt']);
    expect(readFileSync(join(terminal.cwd, 'old.txt'), 'utf8')).toBe('old');
  });

  it('does not blame the output for a file that the work itself misses', async () => {
    const missing = Object.assign(new Error('missing'), { code: 'ENOENT', syscall: 'open' });
    await expect(
      withOutput('out.txt', memoryTerminal(), async () => {
        throw missing;
      }),
    ).rejects.toBe(missing);
  });

  it('keeps a link a link and a private file private', async () => {
    const terminal = memoryTerminal();
    const [real, link] = [join(terminal.cwd, 'real.txt'), join(terminal.cwd, 'link.txt')];
    writeFileSync(real, 'old');
    chmodSync(real, 0o600);
    symlinkSync(real, link);
    await withOutput('link.txt', terminal, ({ write }) => write('new'));
    expect(readFileSync(real, 'utf8')).toBe('new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')('writes into a device instead of replacing it', async () => {
    await withOutput('/dev/null', memoryTerminal(), ({ write }) => write('gone'));
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('says in a sentence where it cannot write', async () => {
    const terminal = memoryTerminal();
    mkdirSync(join(terminal.cwd, 'folder'));
    writeFileSync(join(terminal.cwd, 'file'), '');
    const never = async (): Promise<never> => {
      throw new Error('was run');
    };
    await expect(withOutput('folder', terminal, never)).rejects.toThrow('folder is a folder; name a file');
    await expect(withOutput('nope/out.txt', terminal, never)).rejects.toThrow('nope/out.txt does not exist; check the path');
    await expect(withOutput('file/out.txt', terminal, never)).rejects.toThrow('file/out.txt has a file where its path needs a folder');
    expect(readdirSync(terminal.cwd)).toEqual(['file', 'folder']);
  });

  // The superuser may write anywhere.
  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('says so of a folder that may not be written', async () => {
    const terminal = memoryTerminal();
    chmodSync(terminal.cwd, 0o500);
    await expect(withOutput('out.txt', terminal, ({ write }) => write('x'))).rejects.toThrow(
      'out.txt may not be opened; check its permissions',
    );
    expect(readdirSync(terminal.cwd)).toEqual([]);
  });

  it('takes its handlers of signals back', async () => {
    const before = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
    await withOutput('out.txt', memoryTerminal(), ({ write }) => write('x'));
    expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(before);
  });
});
