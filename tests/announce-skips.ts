import { hasShared, sharedPath } from './shared-data.ts';

/** Runs once before all tests: nobody should take a run without the development data for a whole one. */
export default function announceSkips(): void {
  if (!hasShared)
    console.warn(
      `\nSKIPPED: no development data in ${sharedPath('.')} (set BEZOAR_SHARED); the tests that need it are skipped and counted\n`,
    );
}
