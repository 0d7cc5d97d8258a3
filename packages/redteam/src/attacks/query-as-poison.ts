import { option } from '@bezoar/core';
import { composeText, type TextPart } from '../compose-text.ts';
import { defineAttack } from '../define-attack.ts';

/**
 * Plants the question, word for word, into passages of the corpus that have nothing to do with it; a title stays. One passage a poisoned text,
 * none used twice; a corpus with too few makes the question unattackable, unless fewer will do. An empty question leaves the passage and a space.
 *
 * It meets the retrieval condition and no other: the passage takes a place in the context from one that helps. The question always comes with
 * one space after it (before it, as a suffix), between two words, so that the passage without it is the passage again.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation,
 * section 4, https://arxiv.org/abs/2512.24268. Reference code: none.
 * Deviations: the paper does not say where the question goes; in front is our default, as in PoisonedRAG's black-box attack. Where papers poison
 * a passage in place, here a poisoned copy is added and the passage stays.
 *
 * @param options.position - `prefix`, `suffix`, `middle` (before the word that begins the second half), `random` (any gap between words, seeded)
 *   or `repeated` (several times, evenly over the words, the first in front). Default prefix.
 * @param options.repeats - How often the question stands in a text with `position=repeated`, 1 to 20. Default 3: once a third, so that partition
 *   into few fragments separates none of them from it (our assumption).
 * @returns At most `count` texts; the question is the retrieval part, there is no payload.
 * @throws {BezoarError} `ABORTED` when the signal fired.
 *
 * Cost: O(characters) time, `count` passages read; 0 model calls. Deterministic given `context.seed`.
 * Assumes: the attacker adds passages to the corpus and knows the question as it will be asked. Fails when: the question is asked in other
 * words; when a defense looks for passages that repeat it; when long passages drown it in the encoder's mean.
 *
 * @example
 * const target = { query: { id: 'q', text: 'Who won?' }, correctAnswers: ['Ann'], targetAnswer: null, wrongTexts: [] };
 * const crafted = await queryAsPoison({ position: 'middle' }).craft(target, context);
 * crafted.texts[0].text; // 'Bread needs Who won? salt and water.'
 */
export const queryAsPoison = defineAttack({
  name: 'query-as-poison',
  summary: 'Plants the question itself into passages that have nothing to do with it.',
  source: {
    authors: 'Pathmanathan, Panaitescu-Liess, Chiang, Huang',
    year: 2025,
    title: 'RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation',
    section: '4',
    url: 'https://arxiv.org/abs/2512.24268',
  },
  options: {
    position: option.choice(['prefix', 'suffix', 'middle', 'random', 'repeated'], 'prefix', 'Where in the passage the question goes.'),
    repeats: option.number(3, 'How often the question stands in a text with position=repeated.', { min: 1, max: 20, integer: true }),
  },
  needs: () => ['passages'],
  run: async ({ query }, { position, repeats }, { count, drawPassages, random }) => {
    const drawn = (await drawPassages(count)).filter(({ text }) => text.trim() !== '').slice(0, count);
    const gapsOf = (words: number): readonly number[] => {
      switch (position) {
        case 'prefix':
          return [0];
        case 'suffix':
          return [words];
        case 'middle':
          return [Math.floor(words / 2)];
        case 'random':
          return [random.integer(words + 1)];
        case 'repeated':
          return Array.from({ length: repeats }, (_, index) => Math.floor((index * words) / repeats));
      }
    };
    return {
      texts: drawn.map(({ text, title }) => composeText(inserted(query.text, text, gapsOf), title)),
      targetAnswer: null,
    };
  },
});

/** The passage with the question in gaps between its words; gap 0 is before the first word, the last one after the last word. */
function inserted(question: string, text: string, gapsOf: (words: number) => readonly number[]): TextPart[] {
  const starts = Array.from(text.matchAll(/\S+/g), ({ index }) => index);
  // In front of all means in front of white space too.
  starts[0] = 0;
  const parts: TextPart[] = [];
  let done = 0;
  for (const gap of gapsOf(starts.length)) {
    const at = starts[gap] ?? text.length;
    parts.push([text.slice(done, at)]);
    parts.push(...(gap < starts.length ? ([[question, 'retrieval'], [' ']] as const) : ([[' '], [question, 'retrieval']] as const)));
    done = at;
  }
  return [...parts, [text.slice(done)]];
}
