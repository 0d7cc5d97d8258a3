import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { checkResult } from './read-result.ts';
import { RESULT_SCHEMA, type ResultSchema } from './result-schema.ts';
import { sampleResult } from './testing/sample-result.ts';
import type { BenchResult } from './types.ts';

const published = JSON.parse(readFileSync(fileURLToPath(new URL('../schema/result.schema.json', import.meta.url)), 'utf8'));
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(published);

/** Cells in which everything occurs that may: a swept one, one with certificates, breached questions. */
const whole = sampleResult({ sweep: true, repeats: true, diagnose: true, questions: [3, 0], cells: 14 });
const sample: BenchResult = {
  ...whole,
  cells: whole.cells
    .filter(({ sweep, defense, outcomes }) => outcomes.breached > 0 && (sweep || defense === 'pra-rag'))
    .map((cell) => ({ ...cell, metrics: { poisonInContext: cell.metrics.poisonInContext!, ndcg: cell.metrics.ndcg! } })),
};

/** Whether our own check allows it too: two readers of one schema agree. */
function checked(value: unknown): boolean {
  try {
    checkResult(value);
    return true;
  } catch {
    return false;
  }
}

type Path = readonly (string | number)[];

interface Place {
  readonly path: Path;
  readonly schema: ResultSchema;
  readonly value: unknown;
}

/** Every value that the schema speaks of. */
function* places(schema: ResultSchema, value: unknown, path: Path): Generator<Place> {
  if (path.length > 0) yield { path, schema, value };
  const inner = schema.anyOf?.[0] ?? schema;
  const of = inner.items ?? inner.additionalProperties;
  if (value === null || typeof value !== 'object') return;
  for (const [key, part] of Object.entries(value)) {
    const property = of ?? inner.properties?.[key];
    if (property) yield* places(property, part, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

const spokenPath = (path: Path): string => path.filter((key) => typeof key === 'string').join('.');

/** One value for each path of keys. */
function onePerPath(value: BenchResult): Place[] {
  const found = new Map<string, Place>();
  for (const place of places(RESULT_SCHEMA, value, [])) {
    const inList = typeof place.path.at(-1) === 'number' ? '[]' : '';
    const nul = place.value === null ? ' null' : '';
    if (!found.has(spokenPath(place.path) + inList + nul)) found.set(spokenPath(place.path) + inList + nul, place);
  }
  return [...found.values()];
}

/** What ajv and our own check say of the sample after a change, which is taken back. */
function verdicts(path: Path, change: (holder: Record<string | number, unknown>, key: string | number) => void): [boolean, boolean] {
  let holder = sample as unknown as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  const key = path.at(-1)!;
  const before = holder[key];
  change(holder, key);
  const said: [boolean, boolean] = [validate(sample), checked(sample)];
  holder[key] = before;
  return said;
}

const targets = onePerPath(sample);

describe('result.schema.json', () => {
  it('allows the sample that is broken below', () => {
    expect([validate(sample), checked(sample)]).toEqual([true, true]);
  });

  it('is made from RESULT_SCHEMA', () => {
    expect(`${JSON.stringify(published, null, 2)}\n`).toBe(`${JSON.stringify(RESULT_SCHEMA, null, 2)}\n`);
  });

  it.each([{}, { hostile: true, sweep: true, repeats: true, diagnose: true }, { cells: 0 }, { questions: [1, 0] as [number, number] }])(
    'allows a result (%j)',
    (options) => {
      expect(validate(JSON.parse(JSON.stringify(sampleResult(options)))) || validate.errors).toBe(true);
    },
  );

  it('speaks of everything in a result', () => {
    const spoken = new Set(targets.map(({ path }) => spokenPath(path)));
    expect(spoken.size).toBeGreaterThan(100);
    for (const path of [
      'cells.records.verdicts.suspicion',
      'cells.sweep.alpha',
      'cells.metrics.ndcg.deviation',
      'cells.records.certificate.pad',
    ])
      expect([...spoken]).toContain(path);
  });

  it('refuses a result without any one of its required keys', () => {
    let dropped = 0;
    for (const { path, schema, value } of targets) {
      for (const key of (schema.anyOf?.[0] ?? schema).required ?? []) {
        if (value === null) continue;
        const said = verdicts([...path, key], (holder, name) => {
          delete holder[name];
        });
        expect([path.join('.'), key, ...said]).toEqual([path.join('.'), key, false, false]);
        dropped += 1;
      }
    }
    expect(dropped).toBeGreaterThan(80);
  });

  it('refuses a result with a value of another type, at every place', () => {
    for (const { path, schema } of targets) {
      for (const wrong of [true, 'a text that is no choice', -1.5, null, [], {}]) {
        if (fits(schema, wrong)) continue;
        const said = verdicts(path, (holder, key) => {
          holder[key] = wrong;
        });
        expect([path.join('.'), wrong, ...said]).toEqual([path.join('.'), wrong, false, false]);
      }
    }
  });
});

/** By hand, from what the schema says in words: which of the wrong values happen to be right at a place. */
function fits(schema: ResultSchema, value: unknown): boolean {
  if (schema.anyOf) return value === null || fits(schema.anyOf[0]!, value);
  if (schema.enum) return value === null && schema.enum.includes(null);
  const types = [schema.type ?? []].flat();
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'object') return types.includes('object') && !schema.required;
  if (typeof value === 'number') return types.includes('number') && schema.minimum === undefined;
  return types.includes(typeof value);
}
