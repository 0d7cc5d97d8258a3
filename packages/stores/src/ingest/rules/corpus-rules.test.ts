import { createRandom } from '@bezoar/core/kernels/random';
import { tokenizeUnicode } from '@bezoar/core/kernels/tokenize-unicode';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bands } from '../bands.ts';
import { DisjointSets } from '../disjoint-sets.ts';
import type { Finding, ScanItem } from '../finding.ts';
import { hashText, hashWords } from '../hash-words.ts';
import { createScanner } from '../scanner.ts';
import { countOnes, SIGN_BITS, signBits } from '../sign-bits.ts';

const random = createRandom(7);
const direction = (dimensions = 64): Float32Array => Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
const near = (vector: Float32Array, noise: number): Float32Array => vector.map((value) => value + noise * (random.next() - 0.5));

const scan = (items: readonly Partial<ScanItem & { text: string; source: string; title: string }>[], density?: number): Finding[] => {
  const scanner = createScanner(density === undefined ? {} : { density });
  const all = items.map(({ text = `text ${Math.floor(random.next() * 1e9)}`, source, title, vector = null, trusted = false }, index) => ({
    passage: { id: `p${index}`, text, ...(source ? { source } : {}), ...(title ? { title } : {}) },
    vector,
    trusted,
  }));
  scanner.trust(all.filter(({ trusted }) => trusted).map(({ passage }) => passage));
  return [...scanner.scan(all).flat(), ...scanner.finish()];
};
const of = (found: readonly Finding[], rule: string): string[] =>
  found.filter(({ ruleId }) => ruleId === rule).map(({ passageId, severity }) => `${passageId} ${severity}`);
const ids = (count: number, severity: string, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `p${from + index} ${severity}`);

describe('near-duplicate-flood', () => {
  const TEXT = 'The council decided that the old bridge over the river will be closed for two years from next spring on';
  const copies = (count: number, source = ''): { text: string; source: string }[] =>
    Array.from({ length: count }, (_, index) => ({ text: `${TEXT} ${index}`, source }));

  it.each([
    [4, []],
    [5, ids(5, 'medium')],
    [9, ids(9, 'medium')],
    [10, ids(10, 'high')],
  ])('judges %i copies by how much of a context they fill', (count, expected) => {
    expect(of(scan(copies(count)), 'near-duplicate-flood')).toEqual(expected);
  });

  it('counts by source', () => {
    expect(of(scan([...copies(4, 'a'), ...copies(4, 'b')]), 'near-duplicate-flood')).toEqual([]);
    expect(of(scan([...copies(4, 'a'), ...copies(5, 'b')]), 'near-duplicate-flood')).toEqual(ids(5, 'medium', 4));
  });

  it('leaves alone what only shares a subject, and what is too short', () => {
    const same = Array.from({ length: 12 }, (_, i) => ({
      text: `The old bridge ${i} was built by person${i} in year${i} out of material${i} and stands near town${i} today`,
    }));
    expect(of(scan(same), 'near-duplicate-flood')).toEqual([]);
    expect(of(scan(Array.from({ length: 12 }, () => ({ text: 'too few words' }))), 'near-duplicate-flood')).toEqual([]);
  });

  it('costs a flood of thousands no more than clean passages', () => {
    const start = process.cpuUsage();
    // A few share no band with any of the copies that are looked at.
    expect(of(scan(copies(5000)), 'near-duplicate-flood').length).toBeGreaterThan(4950);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
  });
});

describe('tight-group', () => {
  const center = direction(256);
  const tight = (count: number): { vector: Float32Array }[] => Array.from({ length: count }, () => ({ vector: near(center, 0.1) }));
  const others = Array.from({ length: 200 }, () => ({ vector: direction(256) }));

  it('finds five different texts with nearly one vector, among others', () => {
    expect(of(scan([...tight(5), ...others]), 'tight-group')).toEqual(ids(5, 'medium'));
    expect(of(scan([...tight(4), ...others]), 'tight-group')).toEqual([]);
  });

  it('counts equal texts once, and zero vectors not at all', () => {
    expect(of(scan(tight(5).map((item) => ({ ...item, text: 'the same' }))), 'tight-group')).toEqual([]);
    expect(of(scan(Array.from({ length: 6 }, () => ({ vector: new Float32Array(8) }))), 'tight-group')).toEqual([]);
  });

  it('holds to the density that it is given', () => {
    const loose = Array.from({ length: 5 }, () => ({ vector: near(center, 0.3) }));
    expect(of(scan(loose, 0.95), 'tight-group')).toEqual([]);
    expect(of(scan(loose, 0.85), 'tight-group')).toEqual(ids(5, 'medium'));
  });
});

describe('embedding-outlier', () => {
  it('finds vectors that cannot be', () => {
    const vectors = [Float32Array.of(1, Number.NaN), Float32Array.of(0, 0), Float32Array.of(1, 2)];
    expect(of(scan(vectors.map((vector) => ({ vector }))), 'embedding-outlier')).toEqual(['p0 high', 'p1 low']);
  });

  it('finds a norm that wins every dot product, where norms differ', () => {
    const usual = Array.from({ length: 150 }, () => ({ vector: direction() }));
    expect(of(scan([...usual, { vector: direction().map((value) => value * 20) }]), 'embedding-outlier')).toEqual(['p150 high']);
    expect(of(scan(usual.slice(0, 98).concat({ vector: direction().map((value) => value * 20) })), 'embedding-outlier')).toEqual([]);
  });

  it('finds a hub', () => {
    const topic = direction(1024);
    const usual = Array.from({ length: 300 }, () => ({ vector: near(topic, 20) }));
    expect(of(scan(usual), 'embedding-outlier')).toEqual([]);
    expect(of(scan([...usual, { vector: topic }]), 'embedding-outlier')).toEqual(['p300 medium']);
  });
});

describe('contradicts-trusted', () => {
  const TRUTH = 'The Wembley Cup of 1961 was won by Ann Smith after a long match.';
  const judge = (text: string, titles: { here?: string; there?: string } = {}): string[] =>
    scan([
      { text: TRUTH, trusted: true, ...(titles.there ? { title: titles.there } : {}) },
      { text, ...(titles.here ? { title: titles.here } : {}) },
    ])
      .filter(({ ruleId }) => ruleId === 'contradicts-trusted')
      .map(({ passageId, severity, evidence, span }) => `${passageId} ${severity} ${span.start}-${span.end} ${evidence}`);

  it('finds another name, number or date in the same sentence', () => {
    expect(judge('The Wembley Cup of 1961 was won by Bob Jones after a long match.')).toEqual([
      'p1 high 35-44 bob jones here, ann smith there',
    ]);
    expect(judge('The Wembley Cup of 1974 was won by Ann Smith after a long match.')).toEqual(['p1 high 19-23 1974 here, 1961 there']);
  });

  it('leaves alone what agrees, is about something else, or says it in other words', () => {
    expect(judge(TRUTH)).toEqual([]);
    expect(judge('The Chelsea Cup of 1974 was won by Bob Jones after a long match.')).toEqual([]);
    expect(judge('Bob Jones won it in 1961, they say.')).toEqual([]);
    expect(judge('The Wembley Cup of 1961 was won by Bob Jones after a long match.', { here: 'Tennis', there: 'Football' })).toEqual([]);
  });

  it('does not judge trusted passages, and is silent without them', () => {
    const lie = { text: TRUTH.replace('Ann', 'Bob') };
    expect(of(scan([{ text: TRUTH }, lie]), 'contradicts-trusted')).toEqual([]);
    expect(
      of(
        scan([
          { text: TRUTH, trusted: true },
          { ...lie, trusted: true },
        ]),
        'contradicts-trusted',
      ),
    ).toEqual([]);
  });
});

describe('what the rules are made of', () => {
  it('hashes words as the tokenizer cuts them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[\u2010-\u2030A-Za-z_0-9 .]*$/)), (text) => {
        expect(hashWords(text)).toEqual(tokenizeUnicode(text).map(hashText));
      }),
    );
    expect(hashText('')).toBe(0x811c9dc5);
    expect(hashText('a')).toBe(0xe40c292c);
  });

  it('counts ones', () => {
    fc.assert(
      fc.property(fc.integer(), (word) => {
        expect(countOnes(word)).toBe((word >>> 0).toString(2).replaceAll('0', '').length);
      }),
    );
  });

  it('keeps angles in signs', () => {
    for (const noise of [0.2, 0.6, 1.5]) {
      let apart = 0;
      let angle = 0;
      for (let i = 0; i < 40; i++) {
        const a = direction(100);
        const b = near(a, noise);
        const project = signBits(100, i);
        const bits = Uint32Array.from(project(a));
        apart += project(b).reduce((sum, word, index) => sum + countOnes(word ^ bits[index]!), 0) / SIGN_BITS / 40;
        const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, index) => sum + value * y[index]!, 0);
        angle += Math.acos(product(a, b) / Math.sqrt(product(a, a) * product(b, b))) / Math.PI / 40;
      }
      expect(Math.abs(apart - angle)).toBeLessThan(0.02);
    }
  });

  it('joins groups as a slow twin does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1500), fc.nat(1500)), { maxLength: 40 }), (links) => {
        const sets = new DisjointSets();
        const groups = Array.from({ length: 1501 }, (_, index) => index);
        for (const [a, b] of links) {
          sets.link(a, b);
          const [from, to] = [groups[a]!, groups[b]!];
          for (const [index, group] of groups.entries()) if (group === from) groups[index] = to;
        }
        for (const [a, b] of links) {
          expect(sets.find(a)).toBe(sets.find(b));
          expect(sets.size(a)).toBe(groups.filter((group) => group === groups[a]).length);
        }
      }),
    );
  });

  it('meets every earlier signature that shares a band, and no other', () => {
    const signatures = fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)), { maxLength: 20 });
    fc.assert(
      fc.property(signatures, (all) => {
        const bands = new Bands(3, 4096);
        for (const [index, signature] of all.entries()) {
          const met = new Set<number>();
          bands.add(signature, (earlier) => met.add(earlier));
          const expected = all.slice(0, index).flatMap((other, at) => (other.some((value, band) => value === signature[band]) ? [at] : []));
          expect([...met].sort((a, b) => a - b)).toEqual(expected);
        }
      }),
    );
  });
});
