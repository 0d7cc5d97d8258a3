import { Bands } from '../bands.ts';
import { DisjointSets } from '../disjoint-sets.ts';
import type { FindingSpan, IngestRule } from '../finding.ts';
import { hashText } from '../hash-words.ts';
import { judgedText, wholeText } from '../judged-text.ts';
import { countOnes, SIGN_BITS, signBits } from '../sign-bits.ts';

const WORDS = SIGN_BITS / 32;
/** Two band values of 16 bits a word: vectors with cosine 0.95 share one of 16 with probability 0.96, with cosine 0.9 with 0.75. */
const BANDS = 2 * WORDS;
/** As many different texts fill the context that most pipelines have. */
const FILLS_CONTEXT = 5;

/**
 * Different texts whose vectors are closer to each other than what an honest topic reaches: the wrong texts of one question all say the same
 * thing. Medium. Close means a cosine at or above `density`, estimated from 256 random signs (error about 0.03 at 0.9); equal texts count once.
 *
 * Cost: O(d log d) time and some 170 bytes a passage, whatever the size of the corpus: candidates share a band of their signs, newest first.
 * Fails when there are fewer than five; series of pages from one template are found too.
 */
export const tightGroup: IngestRule = {
  id: 'tight-group',
  title: 'is one of several texts whose vectors are implausibly close',
  severity: 'medium',
  start: ({ density }) => {
    const bands = new Bands(BANDS);
    const groups = new DisjointSets();
    const allowed = Math.floor((Math.acos(Math.min(1, density)) / Math.PI) * SIGN_BITS);
    let project: ReturnType<typeof signBits> | null = null;
    let signatures = new Uint32Array(1024 * WORDS);
    const members: { readonly index: number; readonly text: number; readonly span: FindingSpan }[] = [];
    const values = new Uint32Array(BANDS);
    return {
      observe({ passage, vector }, index) {
        if (vector === null || !vector.some((value) => value !== 0)) return;
        project ??= signBits(vector.length);
        const bits = project(vector);
        const place = members.length;
        members.push({ index, text: hashText(judgedText(passage)), span: wholeText(passage) });
        if ((place + 1) * WORDS > signatures.length) {
          const grown = new Uint32Array(signatures.length * 2);
          grown.set(signatures);
          signatures = grown;
        }
        signatures.set(bits, place * WORDS);
        for (let band = 0; band < BANDS; band++) values[band] = (bits[band >> 1]! >>> (16 * (band & 1))) & 0xffff;
        bands.add(values, (earlier) => {
          let apart = 0;
          for (let word = 0; word < WORDS; word++)
            apart += countOnes(signatures[earlier * WORDS + word]! ^ signatures[place * WORDS + word]!);
          if (apart <= allowed) groups.link(earlier, place);
        });
      },
      *finish() {
        const texts = new Map<number, Set<number>>();
        for (const [place, { text }] of members.entries()) {
          if (groups.size(place) < FILLS_CONTEXT) continue;
          const group = groups.find(place);
          const known = texts.get(group);
          if (known) known.add(text);
          else texts.set(group, new Set([text]));
        }
        for (const [place, { index, span }] of members.entries()) {
          const different = texts.get(groups.find(place))?.size ?? 0;
          if (different < FILLS_CONTEXT) continue;
          yield {
            index,
            severity: 'medium',
            span,
            message: `is one of ${different} different texts whose vectors are closer than an honest topic's`,
            evidence: `${different} texts, cosine at least ${density.toFixed(2)} from one to the next`,
            key: '',
          };
        }
      },
    };
  },
};
