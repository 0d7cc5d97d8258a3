import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defend, policyFromSpecs, type Retrieval } from '@bezoar/core';
import { toyCrossEncoder, toyEncoder, toyLikelihood } from '@bezoar/core/testing';
import { expect, it } from 'vitest';

/** What `npm run fuzz` once found, replayed for good. */
const folder = fileURLToPath(new URL('./fixtures/fuzz/', import.meta.url));
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];

const vector = (values: readonly (number | null)[]): Float32Array => Float32Array.from(values, (value) => value ?? Number.NaN);

function revive(record: Retrieval): Retrieval {
  const embedded = <T extends { readonly embedding?: unknown }>(value: T): T =>
    value.embedding ? { ...value, embedding: vector(value.embedding as (number | null)[]) } : value;
  return { query: embedded(record.query), passages: record.passages.map(embedded) };
}

it.each(names)('%s', async (name) => {
  const { policy, retrieval } = JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as { policy: string[]; retrieval: Retrieval };
  const encoder = toyEncoder();
  const { verdicts, degraded } = await defend(revive(retrieval), policyFromSpecs(policy), {
    encoder,
    crossEncoder: toyCrossEncoder(),
    likelihood: toyLikelihood(),
    resolveEncoder: async () => encoder,
  });
  expect(degraded).toBe(false);
  expect(verdicts).toHaveLength(retrieval.passages.length);
});

it('knows where the fixtures are', () => {
  expect(folder.endsWith('/tests/fixtures/fuzz/')).toBe(true);
});
