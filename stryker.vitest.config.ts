import base from './vitest.config.ts';

/** The kernels' own tests: a kernel must be held by the test beside it, not by something far away that happens to use it. */
export default {
  ...base,
  // Instrumented code is several times slower, and what hangs is the mutation's own time limit to stop.
  test: { ...base.test, include: ['packages/core/src/kernels/**/*.test.ts'], testTimeout: 300_000 },
};
