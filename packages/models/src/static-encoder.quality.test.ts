import { describe, expect, it } from 'vitest';
import { measureEncoder } from '../../../scripts/measure-encoder.ts';
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { loadStaticEncoder } from './static-encoder.ts';

/** nDCG@10 that the shipped encoder must not fall below; the table of assets/README.md has what it reaches. */
const FLOOR = { realtimeqa: 0.465, simpleqa: 0.6, ramdocs: 0.59, hotpotqa: 0.61 };

describe.skipIf(!hasShared)('the quality of the static encoder', () => {
  it.each(Object.entries(FLOOR))('ranks the corpus of %s with nDCG@10 of at least %d', async (dataset, floor) => {
    const { ndcg } = await measureEncoder(await loadStaticEncoder(), sharedPath(`data/${dataset}`));
    expect(ndcg).toBeGreaterThanOrEqual(floor);
  });
});
