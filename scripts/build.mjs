/** Builds every package into its dist folder; prints nothing unless something is wrong. The tool's own command prints a notice on Node 20. */
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const shared = {
  config: false,
  format: 'esm',
  target: 'es2024',
  // One output file a source file, so that `@bezoar/core/kernels/*` are files and stacks name what people can open.
  unbundle: true,
  fixedExtension: true,
  clean: true,
  hash: false,
  logLevel: 'error',
  entry: ['src/**/*.ts', '!src/**/*.test.ts'],
};

const folder = (name) => fileURLToPath(new URL(`../packages/${name}`, import.meta.url));

await Promise.all([
  build({ ...shared, cwd: folder('core'), platform: 'neutral', dts: true }),
  build({ ...shared, cwd: folder('models'), platform: 'node', dts: true }),
  build({ ...shared, cwd: folder('stores'), platform: 'node', dts: true }),
  build({ ...shared, cwd: folder('redteam'), platform: 'neutral', dts: true }),
  build({ ...shared, cwd: folder('bench'), platform: 'node', dts: true }),
  build({ ...shared, cwd: folder('cli'), platform: 'node', dts: false }),
]);
