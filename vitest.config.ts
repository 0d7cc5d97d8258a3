import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@bezoar\/core\/testing$/, replacement: source('core/src/testing/index.ts') },
      { find: /^@bezoar\/core\/errors$/, replacement: source('core/src/errors.ts') },
      { find: /^@bezoar\/core\/stores\/memory$/, replacement: source('core/src/stores/memory.ts') },
      { find: /^@bezoar\/core\/index-defenses$/, replacement: source('core/src/index-defenses.generated.ts') },
      { find: /^@bezoar\/stores\/(.+)$/, replacement: `${source('stores/src')}/$1.ts` },
      { find: /^@bezoar\/core\/kernels\/(.+)$/, replacement: `${source('core/src/kernels')}/$1.ts` },
      { find: /^@bezoar\/models\/testing$/, replacement: source('models/src/testing/index.ts') },
      { find: /^@bezoar\/models\/static-encoder$/, replacement: source('models/src/static-encoder.ts') },
      { find: /^@bezoar\/redteam\/testing$/, replacement: source('redteam/src/testing/index.ts') },
      { find: /^@bezoar\/bench\/json-lines$/, replacement: source('bench/src/dataset/read-json-lines.ts') },
      { find: /^@bezoar\/bench\/testing$/, replacement: source('bench/src/testing/index.ts') },
      { find: /^@bezoar\/bench\/(file-fault|json-text|layout)$/, replacement: `${source('bench/src')}/$1.ts` },
      { find: /^@bezoar\/(core|models|stores|redteam|bench)$/, replacement: `${source('')}$1/src/index.ts` },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.stryker-tmp/**'],
    globalSetup: ['tests/announce-skips.ts'],
    // All cores: by default one is left to whoever watches, and of two that is half.
    maxWorkers: '100%',
    testTimeout: 20_000,
    coverage: { include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
});
