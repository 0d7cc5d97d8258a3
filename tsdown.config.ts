import { defineConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'neutral', target: 'es2023', unbundle: true, dts: true, clean: true, hash: false } as const;
const sources = ['src/**/*.ts', '!src/**/*.test.ts'];

export default defineConfig([
  { ...shared, cwd: 'packages/core', entry: sources },
  { ...shared, cwd: 'packages/models', entry: sources, platform: 'node' },
  { ...shared, cwd: 'packages/cli', entry: sources, platform: 'node', dts: false },
]);
