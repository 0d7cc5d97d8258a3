import { BezoarError } from '@bezoar/core';

/**
 * What `load` imports, or a `MISSING_PEER` error that says what to install when the package is not there. Other failures of the
 * import (a native library that does not load, say) pass through with the package named.
 *
 * @param load - The dynamic import itself, written out at the call so that bundlers and TypeScript see the package's name.
 * @param purpose - Ends the sentence "... is needed".
 */
export const importPeer = async <T>(load: () => Promise<T>, packageName: string, purpose: string): Promise<T> => {
  try {
    return await load();
  } catch (cause) {
    const missing =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND' && cause.message.includes(packageName);
    throw new BezoarError(
      'MISSING_PEER',
      missing
        ? `${packageName} is needed ${purpose} and is not installed: run \`npm install ${packageName}\``
        : `${packageName} is needed ${purpose} and is installed but does not load (${cause instanceof Error ? cause.message : String(cause)}): reinstall it for this platform and version of Node.js`,
      { cause, details: { package: packageName } },
    );
  }
};
