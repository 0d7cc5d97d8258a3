import { BezoarError } from '../errors.ts';
import { MAX_CHARACTERS } from './define-defense.ts';
import type { IndexContext } from './index-defense.ts';

/**
 * The texts in other words, in order, one at a time. What comes back without text leaves the text as it was: a paraphraser that gives up must not
 * empty the index. What comes back is cut to 50,000 characters.
 *
 * @throws {BezoarError} `NEEDS_PARAPHRASER` without one, `ABORTED`, `BAD_INPUT` for something other than text; whatever the paraphraser throws.
 */
export async function paraphrased(
  owner: string,
  texts: readonly string[],
  { paraphrase, signal }: Pick<IndexContext, 'paraphrase' | 'signal'>,
): Promise<string[]> {
  if (!paraphrase) {
    throw new BezoarError('NEEDS_PARAPHRASER', `${owner} says texts in other words; pass a function from text to text as paraphrase`);
  }
  const said: string[] = [];
  for (const text of texts) {
    if (signal?.aborted) throw new BezoarError('ABORTED', 'aborted by the caller', { cause: signal.reason });
    const other: unknown = text.trim() === '' ? text : await paraphrase(text, signal ? { signal } : {});
    if (typeof other !== 'string') throw new BezoarError('BAD_INPUT', `${owner}: the paraphraser gave ${typeof other}, expected text`);
    said.push(other.trim() === '' ? text : other.slice(0, MAX_CHARACTERS));
  }
  return said;
}
