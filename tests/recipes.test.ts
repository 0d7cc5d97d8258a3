import { describe, expect, it, test } from 'vitest';
import { createRetrieval } from '../packages/core/src/core/create-retrieval.ts';
import { defend } from '../packages/core/src/core/defend.ts';
import { POLICIES, RECIPE_NAMES } from '../packages/core/src/registry.generated.ts';
import { HOSTILE_TEXTS, testDefense, toyEncoder } from '../packages/core/src/testing/index.ts';

describe.each(Object.entries(POLICIES))('%s', (name, policy) => {
  const isRecipe = (RECIPE_NAMES as readonly string[]).includes(name);

  for (const stage of policy.stages) {
    const leavesCopies = stage.spec.includes('collapseDuplicates=false');
    describe(stage.spec, () => {
      testDefense({
        test,
        skipTest: (title) => test.skip(title),
        create: () => stage,
        skip: leavesCopies ? { 'is not moved by a copy at the end': 'the paper leaves copies in, so a copy is one more voice' } : {},
      });
    });
  }

  it.runIf(isRecipe)('judges the text without the title and leaves copies in, as the papers did', () => {
    for (const { spec } of policy.stages) {
      expect(spec).toContain('passageText=text');
      expect(spec).toContain('collapseDuplicates=false');
    }
  });

  it('runs whole over hostile text', async () => {
    const result = await defend(createRetrieval('who?', HOSTILE_TEXTS), { ...policy, budgetMs: null }, { encoder: toyEncoder() });
    expect(result).toMatchObject({ degraded: false });
    expect(result.verdicts.map(({ passageId }) => passageId)).toEqual(HOSTILE_TEXTS.map((_, index) => `p${index + 1}`));
    expect(result.verdicts.filter(({ rankAfter }) => rankAfter !== null)).toHaveLength(result.passages.length);
  });

  it('is undisturbed by nothing', async () => {
    expect(await defend(createRetrieval('who?', []), policy)).toMatchObject({ passages: [], verdicts: [], degraded: false });
  });
});

describe('standard', () => {
  it('needs no model', () => {
    expect(POLICIES.standard.stages.flatMap(({ needs }) => needs)).toEqual([]);
  });
});
