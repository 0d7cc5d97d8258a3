import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testAttack } from '../testing/test-attack.ts';
import { toyContext } from '../testing/toy-context.ts';
import type { AttackTarget, CraftedPoison } from '../types.ts';
import { queryAsPoison } from './query-as-poison.ts';

const TARGET: AttackTarget = { query: { id: 'q', text: 'Who won?' }, correctAnswers: ['Ann'], targetAnswer: 'Bob', wrongTexts: [] };
const PASSAGE = { id: 'p', title: 'Bread', text: 'Bread needs salt and water.' };

type Options = Parameters<typeof queryAsPoison>[0];

async function craft(options: Options, passages = [PASSAGE], more = {}): Promise<CraftedPoison> {
  const context = toyContext({ count: passages.length, ...more }, passages);
  return (await queryAsPoison(options).craft(TARGET, context)) as CraftedPoison;
}

describe.each(['prefix', 'suffix', 'middle', 'random', 'repeated'] as const)('query-as-poison?position=%s', (position) => {
  testAttack({ test: it, skipTest: it.skip, create: () => queryAsPoison({ position }) });
});

describe('query-as-poison', () => {
  it.each<[Options, string, [number, number][]]>([
    [{}, 'Who won? Bread needs salt and water.', [[0, 8]]],
    [{ position: 'prefix' }, 'Who won? Bread needs salt and water.', [[0, 8]]],
    [{ position: 'suffix' }, 'Bread needs salt and water. Who won?', [[28, 36]]],
    [{ position: 'middle' }, 'Bread needs Who won? salt and water.', [[12, 20]]],
    [
      { position: 'repeated' },
      'Who won? Bread Who won? needs salt Who won? and water.',
      [
        [0, 8],
        [15, 23],
        [35, 43],
      ],
    ],
    [
      { position: 'repeated', repeats: 2 },
      'Who won? Bread needs Who won? salt and water.',
      [
        [0, 8],
        [21, 29],
      ],
    ],
    [{ position: 'repeated', repeats: 1 }, 'Who won? Bread needs salt and water.', [[0, 8]]],
  ])('with %j plants %j', async (options, text, retrieval) => {
    const { texts, targetAnswer } = await craft(options);
    expect(texts).toEqual([
      { title: 'Bread', text, spans: { retrieval: retrieval.map(([start, end]) => ({ start, end })), payload: [], trigger: [] } },
    ]);
    expect(targetAnswer).toBeNull();
  });

  it.each<['prefix' | 'suffix' | 'middle', string]>([
    ['prefix', 'Who won?  Bread\n'],
    ['suffix', ' Bread\n Who won?'],
    // Half of one word is none, so the question stands in front.
    ['middle', 'Who won?  Bread\n'],
  ])('with %s keeps the white space of a passage of one word', async (position, text) => {
    expect((await craft({ position }, [{ ...PASSAGE, text: ' Bread\n' }])).texts[0]!.text).toBe(text);
  });

  it('repeats the question at one place where there are fewer words than repeats', async () => {
    expect((await craft({ position: 'repeated', repeats: 3 }, [{ ...PASSAGE, text: 'Bread' }])).texts[0]!.text).toBe(
      'Who won? Who won? Who won? Bread',
    );
  });

  it('goes into every gap with position=random, by the seed, not the same for each text', async () => {
    const passages = Array.from({ length: 40 }, (_, index) => ({ ...PASSAGE, id: `p${index}` }));
    const places = async (seed: number): Promise<number[]> =>
      (await craft({ position: 'random' }, passages, { seed })).texts.map(({ spans }) => spans.retrieval[0]!.start);
    const first = await places(1);
    // The five words begin at 0, 6, 12, 17 and 21; after the last one and a space it is 28.
    expect([...new Set(first)].sort((a, b) => a - b)).toEqual([0, 6, 12, 17, 21, 28]);
    expect(await places(1)).toEqual(first);
    expect(await places(2)).not.toEqual(first);
  });

  it('uses no passage without text, and none beyond the count', async () => {
    const drawn = [{ ...PASSAGE, text: ' \n' }, PASSAGE, { ...PASSAGE, text: 'more' }];
    const context = { ...toyContext({ allowFewer: true }), drawPassages: async () => drawn };
    expect(await queryAsPoison().craft(TARGET, { ...context, count: 3 })).toMatchObject({ texts: [{}, {}] });
    const one = (await queryAsPoison().craft(TARGET, { ...context, count: 1 })) as CraftedPoison;
    expect(one.texts.map(({ text }) => text)).toEqual(['Who won? Bread needs salt and water.']);
  });

  it('gives the passage back when the marked question and its one space are taken out', async () => {
    const positions = fc.constantFrom('prefix', 'suffix', 'middle', 'random', 'repeated');
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== ''),
        positions,
        fc.integer({ min: 1, max: 20 }),
        async (text, position, repeats) => {
          const crafted = (await craft({ position, repeats }, [{ ...PASSAGE, text }])).texts[0]!;
          let rest = crafted.text;
          for (const { start, end } of crafted.spans.retrieval.toReversed()) {
            expect(crafted.text.slice(start, end)).toBe('Who won?');
            const after = rest.slice(end);
            rest = after.startsWith(' ') ? rest.slice(0, start) + after.slice(1) : rest.slice(0, start - 1) + after;
          }
          expect(rest).toBe(text);
          expect(crafted.spans.retrieval).toHaveLength(position === 'repeated' ? repeats : 1);
        },
      ),
    );
  });
});
