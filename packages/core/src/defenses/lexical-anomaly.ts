import { defineDefense } from '../core/define-defense.ts';
import { option } from '../core/options.ts';
import type { SurpriseCalibration } from '../core/ports.ts';
import { throwIfAborted } from '../core/run-context.ts';

const NATS = 'Nats a token';

/**
 * Drops passages that read like no clean text: of whose words, or of whose worst stretch of words, the mean surprise is at or above a
 * threshold that the model was calibrated to. Each passage is judged by itself. One that the model cannot judge (0 or 1 token, another
 * language) is kept with score null and says why.
 *
 * Mean surprise of n tokens is -(1/n) sum ln p(token | tokens before), the logarithm of perplexity.
 *
 * Source: the perplexity filter of RAGPart (Pathmanathan et al. 2025), PoisonedRAG (Zou et al. 2024, section 7.2) and others; windows as in
 * Jain et al. 2023, Baseline Defenses, section 4.1, https://arxiv.org/abs/2309.00614. Reference code: none.
 * Deviations: the papers score with GPT-2 or a Llama; here the context's model, by default an n-gram model of English. The papers state a
 * fixed perplexity or none; here a quantile over clean passages, since the number belongs to the model.
 *
 * @param options.threshold - Nats a token, at least 0; a passage is dropped when its mean is at or above. Default: the model's.
 * @param options.peakThreshold - The same for the worst stretch. Default: the model's.
 * @returns One verdict per passage; score the mean surprise in nats a token; suspicion 0 at the clean median, 0.5 at the threshold, and
 * towards 1 above, of mean or stretch whichever is worse.
 * @throws {BezoarError} `NEEDS_LIKELIHOOD` without a model; `ABORTED` when the signal fired.
 *
 * Cost: one score of the model a passage; with the built-in one O(tokens log n-grams). Deterministic as the model is.
 * Assumes: poison made by flipping tokens, which leaves gibberish (HotFlip, universal triggers), in the model's language.
 * Fails when: the poison is fluent (PoisonedRAG's texts, the question put in front, generated text); is gibberish of unknown words throughout,
 * which passes as another language, or of words with capitals, which the built-in model takes for names; is far shorter than the stretch, or
 * spread thinly over a long passage. Drops clean lists of rare words, such as the menus of a site.
 *
 * @example
 * const context = createRunContext({ likelihood: await loadNgramLikelihood() });
 * const { verdicts } = await lexicalAnomaly().run(createRetrieval('who?', ['It was the mayor of the town.', gibberish]), context);
 * verdicts.map((verdict) => verdict.action); // ['keep', 'drop']
 */
export const lexicalAnomaly = defineDefense({
  name: 'lexical-anomaly',
  summary: 'Drops passages whose words, or a stretch of them, are as unlikely as gibberish under a model of clean text.',
  kind: 'filter',
  source: {
    authors: 'Jain et al.',
    year: 2023,
    title: 'Baseline Defenses for Adversarial Attacks Against Aligned Language Models',
    section: '4.1',
    url: 'https://arxiv.org/abs/2309.00614',
  },
  setLevel: false,
  options: {
    threshold: option.nullable(option.number(8, `${NATS}; a passage whose mean is at or above is dropped.`, { min: 0 }), "the model's"),
    peakThreshold: option.nullable(
      option.number(8, `${NATS}; a passage whose worst stretch is at or above is dropped.`, { min: 0 }),
      "the model's",
    ),
  },
  reasons: {
    'unlikely-text': {
      meaning: 'its words are as unlikely in this order as gibberish',
      sentence: ({ in: where, surprise, threshold }) =>
        `${where === 'stretch' ? 'has a stretch that' : 'as a whole'} reads like gibberish: ${Number(surprise).toFixed(1)} nats a word, clean text stays below ${Number(threshold).toFixed(1)}`,
    },
    'not-judged': {
      meaning: 'the likelihood model cannot judge it: too short, or another language',
      sentence: ({ unscored }) =>
        `was not judged: ${unscored === 'other-language' ? "not in the likelihood model's language" : 'too short'}`,
    },
  },
  needs: () => ['likelihood'],
  async run({ texts }, options, context) {
    const model = context.likelihood!;
    const whole = { ...model, threshold: options.threshold ?? model.threshold };
    const peakThreshold = options.peakThreshold ?? model.peak?.threshold;
    const judgements = [];
    for (const text of texts) {
      throwIfAborted(context);
      const likelihood = await model.score(text, context.signal ? { signal: context.signal } : {});
      const { surprise, peak, tokens } = likelihood;
      if (surprise === null || !Number.isFinite(surprise)) {
        const evidence = { unscored: likelihood.unscored ?? 'too-short', tokens };
        judgements.push({ action: 'keep', score: null, suspicion: 0, reason: 'not-judged', evidence } as const);
        continue;
      }
      const wholeSuspicion = suspicionOf(surprise, whole);
      const stretch = peak && peakThreshold !== undefined ? { ...model.peak, threshold: peakThreshold } : null;
      const stretchSuspicion = stretch ? suspicionOf(peak!.surprise, stretch) : 0;
      const suspicion = Math.max(wholeSuspicion, stretchSuspicion);
      const place = peak ? { start: peak.start, end: peak.end } : {};
      const evidence =
        stretchSuspicion > wholeSuspicion
          ? { in: 'stretch', surprise: peak!.surprise, threshold: stretch!.threshold, ...place }
          : { in: 'whole', surprise, threshold: whole.threshold, ...place };
      judgements.push(
        surprise >= whole.threshold || (stretch && peak!.surprise >= stretch.threshold)
          ? ({ action: 'drop', score: surprise, suspicion, reason: 'unlikely-text', evidence } as const)
          : ({ action: 'keep', score: surprise, suspicion, reason: 'kept', evidence } as const),
      );
    }
    return { judgements };
  },
});

/** 0 up to the clean median, 0.5 at the threshold, straight in between; above, half the rest of the way to 1 for each such distance more. */
function suspicionOf(surprise: number, { median = 0, threshold }: SurpriseCalibration): number {
  const distance = Math.max(threshold - median, 1e-9);
  const above = (surprise - threshold) / distance;
  return above < 0 ? Math.max(0, 0.5 + above / 2) : 1 - 0.5 * 2 ** -above;
}
