import { Bands } from '../bands.ts';
import { DisjointSets } from '../disjoint-sets.ts';
import type { IngestRule } from '../finding.ts';
import { hashText, hashWords, mixBits } from '../hash-words.ts';
import { judgedText, wholeText } from '../judged-text.ts';
import { visibleText } from '../visible-text.ts';

/** Words in a shingle, as in core's near-duplicates. */
const SHINGLE = 3;
/** Minima a signature holds, in bands of four: of texts that resemble each other by 0.8, 95 % share a band. */
const MINIMA = 24;
const BAND = 4;
/** Equal minima of 24 from which two texts are near copies: a resemblance of about 0.8. */
const ALIKE = 19;
/** As many fill the context of five passages that most pipelines have; twice as many a pool of ten. */
const FILLS_CONTEXT = 5;
const FILLS_POOL = 10;
/** Shingles looked at: of a longer text the rest is not compared. */
const MAX_SHINGLES = 2000;

const SEEDS = Uint32Array.from({ length: MINIMA }, (_, index) => mixBits(index + 1) | 1);

/**
 * Near copies from one source, enough of them to fill what a model reads: medium from 5 on, high from 10 on. What has no source is of one
 * source. Copies are texts whose sets of three-word shingles resemble each other by about 0.8 (Broder 1997; MinHash in bands), linked one by one.
 *
 * Cost: O(words) time, some 250 bytes a passage. Fails when copies differ in every third word; honest forms and listings are found too.
 */
export const nearDuplicateFlood: IngestRule = {
  id: 'near-duplicate-flood',
  title: 'is one of many near copies from one source',
  severity: 'high',
  start: () => {
    const bands = new Bands(MINIMA / BAND);
    const groups = new DisjointSets();
    let signatures = new Uint8Array(1024 * MINIMA);
    const order: number[] = [];
    const spans: ReturnType<typeof wholeText>[] = [];
    const sources = new Map<string, number>();
    const sourceOf: number[] = [];
    return {
      observe({ passage }, index) {
        const minima = minimaOf(hashWords(judgedText(passage)));
        if (minima === null) return;
        const place = order.length;
        order.push(index);
        spans.push(wholeText(passage));
        const name = passage.source ?? '';
        if (!sources.has(name)) sources.set(name, sources.size);
        sourceOf.push(sources.get(name)!);
        if ((place + 1) * MINIMA > signatures.length) {
          const grown = new Uint8Array(signatures.length * 2);
          grown.set(signatures);
          signatures = grown;
        }
        for (let i = 0; i < MINIMA; i++) signatures[place * MINIMA + i] = minima[i]! & 0xff;
        const salt = hashText(name);
        const values = Array.from({ length: MINIMA / BAND }, (_, band) => {
          let hash = salt;
          for (let i = band * BAND; i < (band + 1) * BAND; i++) hash = mixBits(Math.imul(hash, 31) + minima[i]!);
          return hash;
        });
        bands.add(values, (earlier) => {
          if (sourceOf[earlier] !== sourceOf[place] || groups.find(earlier) === groups.find(place)) return;
          let equal = 0;
          for (let i = 0; i < MINIMA; i++) if (signatures[earlier * MINIMA + i] === signatures[place * MINIMA + i]) equal++;
          if (equal >= ALIKE) groups.link(earlier, place);
        });
      },
      *finish() {
        const names = [...sources.keys()];
        for (const [place, index] of order.entries()) {
          const copies = groups.size(place);
          if (copies < FILLS_CONTEXT) continue;
          const source = names[sourceOf[place]!]!;
          yield {
            index,
            severity: copies >= FILLS_POOL ? 'high' : 'medium',
            span: spans[place]!,
            message: `is one of ${copies} near copies from ${source === '' ? 'no named source' : `the source ${visibleText(source, 80)}`}`,
            evidence: `${copies} near copies`,
            key: '',
          };
        }
      },
    };
  },
};

/** The smallest value of each of 24 hash functions over the shingles; null for a text of fewer than two shingles, which has too little to copy. */
function minimaOf(words: readonly number[]): Uint32Array | null {
  const count = Math.min(words.length - SHINGLE + 1, MAX_SHINGLES);
  if (count < 2) return null;
  const minima = new Uint32Array(MINIMA).fill(0xffffffff);
  for (let from = 0; from < count; from++) {
    let hash = 0;
    for (let at = from; at < from + SHINGLE; at++) hash = mixBits(Math.imul(hash, 31) + words[at]!);
    for (let i = 0; i < MINIMA; i++) {
      const value = mixBits(hash ^ SEEDS[i]!);
      if (value < minima[i]!) minima[i] = value;
    }
  }
  return minima;
}
