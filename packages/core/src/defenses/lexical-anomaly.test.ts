import { describe, expect, it } from 'vitest';
import { createRetrieval } from '../core/create-retrieval.ts';
import type { LikelihoodModel, TextLikelihood } from '../core/ports.ts';
import { explainReason } from '../core/reasons.ts';
import { createRunContext } from '../core/run-context.ts';
import { testDefense } from '../testing/test-defense.ts';
import { lexicalAnomaly } from './lexical-anomaly.ts';

testDefense({ test: it, create: () => lexicalAnomaly() });

/** A model that reads its answer from the text: `mean peak`, in nats. */
const told: LikelihoodModel = {
  name: 'told',
  median: 4,
  threshold: 8,
  peak: { median: 6, threshold: 10 },
  score(text): TextLikelihood {
    const [mean, peak] = text.split(' ').map(Number) as [number, number];
    return { surprise: mean, tokens: 30, peak: { surprise: peak, start: 1, end: 3 } };
  },
};

const run = (texts: readonly string[], likelihood: LikelihoodModel = told, options: Parameters<typeof lexicalAnomaly>[0] = {}) =>
  lexicalAnomaly(options).run(createRetrieval('who?', texts), createRunContext({ likelihood }));

describe('lexical-anomaly', () => {
  it('drops at the threshold of the mean or of the worst stretch, and keeps below', async () => {
    const { verdicts, passages } = await run(['4 6', '7.9 9.9', '8 6', '4 10', '8 11']);
    expect(verdicts.map(({ action }) => action)).toEqual(['keep', 'keep', 'drop', 'drop', 'drop']);
    expect(verdicts.map(({ reason }) => reason)).toEqual(['kept', 'kept', 'unlikely-text', 'unlikely-text', 'unlikely-text']);
    expect(verdicts.map(({ score }) => score)).toEqual([4, 7.9, 8, 4, 8]);
    expect(passages.length).toBe(2);
    expect(verdicts[2]!.evidence).toEqual({ in: 'whole', surprise: 8, threshold: 8, start: 1, end: 3 });
    expect(verdicts[3]!.evidence).toEqual({ in: 'stretch', surprise: 10, threshold: 10, start: 1, end: 3 });
    expect(verdicts[4]!.evidence).toEqual({ in: 'stretch', surprise: 11, threshold: 10, start: 1, end: 3 });
  });

  it('is as suspicious as the worse of the two, against what is usual in clean text', async () => {
    const { verdicts } = await run(['3 5', '4 6', '6 6', '4 9', '8 6', '12 6', '4 18']);
    expect(verdicts.map(({ suspicion }) => suspicion)).toEqual([0, 0, 0.25, 0.375, 0.5, 0.75, 0.875]);
  });

  it('takes thresholds given to it', async () => {
    const verdictsOf = async (options: Parameters<typeof lexicalAnomaly>[0]) =>
      (await run(['7 9', '9 9', '7 11'], told, options)).verdicts.map(({ action }) => action);
    expect(await verdictsOf({ threshold: 7 })).toEqual(['drop', 'drop', 'drop']);
    expect(await verdictsOf({ threshold: 10 })).toEqual(['keep', 'keep', 'drop']);
    expect(await verdictsOf({ threshold: 10, peakThreshold: 12 })).toEqual(['keep', 'keep', 'keep']);
    expect(await verdictsOf({ peakThreshold: 9 })).toEqual(['drop', 'drop', 'drop']);
  });

  it('keeps what the model cannot judge, and says why', async () => {
    const silent: LikelihoodModel = {
      name: 'silent',
      threshold: 8,
      score: (text) =>
        text === 'nan'
          ? { surprise: Number.NaN, tokens: 4 }
          : text === 'bonjour'
            ? { surprise: null, tokens: 9, unscored: 'other-language' }
            : { surprise: null, tokens: 1 },
    };
    const { verdicts } = await run(['one', 'bonjour', 'nan'], silent);
    for (const verdict of verdicts) expect(verdict).toMatchObject({ action: 'keep', score: null, suspicion: 0, reason: 'not-judged' });
    expect(verdicts.map(({ evidence }) => evidence)).toEqual([
      { unscored: 'too-short', tokens: 1 },
      { unscored: 'other-language', tokens: 9 },
      { unscored: 'too-short', tokens: 4 },
    ]);
    const sentences = verdicts.map(({ reason, evidence }) => explainReason(reason, evidence, [lexicalAnomaly().reasons]));
    expect(sentences).toEqual([
      'was not judged: too short',
      "was not judged: not in the likelihood model's language",
      'was not judged: too short',
    ]);
  });

  it('works with a model that answers later and knows no stretches', async () => {
    const later: LikelihoodModel = { name: 'later', threshold: 8, score: async (text) => ({ surprise: Number(text), tokens: 20 }) };
    const { verdicts } = await run(['4', '8', '16'], later, { peakThreshold: 1 });
    expect(verdicts.map(({ action }) => action)).toEqual(['keep', 'drop', 'drop']);
    expect(verdicts.map(({ suspicion }) => suspicion)).toEqual([0.25, 0.5, 0.75]);
    expect(verdicts[1]!.evidence).toEqual({ in: 'whole', surprise: 8, threshold: 8 });
  });

  it('explains itself in a sentence without the text', () => {
    const { reasons } = lexicalAnomaly();
    expect(explainReason('unlikely-text', { in: 'stretch', surprise: 13.24, threshold: 12.8 }, [reasons])).toBe(
      'has a stretch that reads like gibberish: 13.2 nats a word, clean text stays below 12.8',
    );
    expect(explainReason('unlikely-text', { in: 'whole', surprise: 11, threshold: 10.98 }, [reasons])).toBe(
      'as a whole reads like gibberish: 11.0 nats a word, clean text stays below 11.0',
    );
  });

  it('needs a likelihood model, and stops when told', async () => {
    const retrieval = createRetrieval('who?', ['4 6']);
    await expect(lexicalAnomaly().run(retrieval, createRunContext())).rejects.toMatchObject({ code: 'NEEDS_LIKELIHOOD' });
    const controller = new AbortController();
    const aborting: LikelihoodModel = {
      ...told,
      score(text) {
        controller.abort();
        return told.score(text);
      },
    };
    const context = createRunContext({ likelihood: aborting, signal: controller.signal });
    await expect(lexicalAnomaly().run(createRetrieval('who?', ['4 6', '5 6']), context)).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
