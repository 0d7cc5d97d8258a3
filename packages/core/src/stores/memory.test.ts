import { describe, test } from 'vitest';
import { testStore } from '../testing/test-store.ts';
import { createMemoryStore } from './memory.ts';

describe('memory meets the promises of a store', () => {
  testStore({ test: (name, run) => test(name, run), create: async (shape) => createMemoryStore(shape) });
});
