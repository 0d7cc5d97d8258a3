import { BezoarError } from '../errors.ts';
import { createRandom } from '../kernels/random.ts';
import { rankOrder } from '../kernels/rank-order.ts';
import { splitFragments } from '../kernels/split-fragments.ts';
import type { Passage } from '../types.ts';
import type { IndexContext, IndexHit } from './index-defense.ts';
import { type OptionValues, option } from './options.ts';
import { passageText } from './passage-text.ts';
import { allTokens } from './token-spans.ts';

/** C(20, 10) databases are counted in a second for fifty passages; the paper goes to 20 fragments. */
const MOST_FRAGMENTS = 20;

/** What `ragpart` and `naive-combination` have in common. */
export const FRAGMENT_OPTIONS = {
  fragments: option.number(5, 'How many fragments a passage is cut into.', { min: 1, max: MOST_FRAGMENTS, integer: true }),
  combine: option.number(3, 'How many fragments a database combines; not more than there are.', {
    min: 1,
    max: MOST_FRAGMENTS,
    integer: true,
  }),
  aggregate: option.choice(['vote', 'intersection'], 'vote', 'The passages most databases name, or those all of them name.'),
  places: option.nullable(
    option.number(5, 'How many passages each database names.', { min: 1, max: 1000, integer: true }),
    'as many as are asked for',
  ),
  topUp: option.flag(false, 'With intersection: fill what is missing by votes.'),
  split: option.choice(['tokens', 'sentences'], 'tokens', 'Where fragments may begin: at any token, or at sentences.'),
};

export type FragmentOptions = OptionValues<typeof FRAGMENT_OPTIONS>;

/** Throws `INVALID_OPTION` when more fragments are combined than there are. */
export function checkFragmentOptions(owner: string, { fragments, combine }: FragmentOptions): void {
  if (combine <= fragments) return;
  throw new BezoarError('INVALID_OPTION', `${owner}: combine is ${combine}, expected at most the ${fragments} fragments of a passage`, {
    details: { field: 'combine', expected: `at most ${fragments}` },
  });
}

/** The fragments of each passage's text, all tokens of it shared out; none for a passage without a token. */
export function fragmentTexts(
  passages: readonly Passage[],
  { fragments, split }: FragmentOptions,
  { encoder, passageText: mode }: Pick<IndexContext, 'encoder' | 'passageText'>,
): string[][] {
  return passages.map((passage) => {
    const text = passageText(passage, mode);
    return splitFragments(text, allTokens(encoder, text), fragments, split);
  });
}

/** Whether a vector can be compared: finite, and not zero. */
export const isUsable = (vector: Float32Array): boolean => vector.every(Number.isFinite) && vector.some((x) => x !== 0);

export function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** What the databases said of one passage. */
export interface Tally {
  readonly id: string;
  readonly votes: number;
  /** Mean score over its fragments, or over the databases where they were made: the order of equal votes. */
  readonly mean: number;
}

/** The passages that go on, from what was named by any database; `tallies` are in the order of their ids. */
export function aggregateVotes(
  tallies: readonly Tally[],
  databases: number,
  keep: number,
  options: FragmentOptions,
  seed: number,
): IndexHit[] {
  const named = tallies.filter(({ votes }) => votes > 0);
  // Votes first, then means: two stable sorts, the second by what counts more.
  const byMean = rankOrder(named.map(({ mean }) => mean)).map((index) => named[index]!);
  const ranked = byMean.sort((a, b) => b.votes - a.votes);
  return chosen()
    .slice(0, keep)
    .map(({ id, votes, mean }) => ({ id, score: votes, evidence: { votes, databases, mean } }));

  function chosen(): readonly Tally[] {
    if (options.aggregate === 'vote' || options.topUp) return ranked;
    const everywhere = ranked.filter(({ votes }) => votes === databases);
    return everywhere.length > 0 ? everywhere : createRandom(seed).shuffle(named);
  }
}
