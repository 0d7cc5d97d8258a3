import base from './vitest.config.ts';

/** The kernel's own test: it must be held by the test beside it, not by something far away that happens to use it. */
const kernel = process.env.BEZOAR_KERNEL ?? '*';

export default { ...base, test: { ...base.test, include: [`packages/core/src/kernels/${kernel}.test.ts`], testTimeout: 120_000 } };
