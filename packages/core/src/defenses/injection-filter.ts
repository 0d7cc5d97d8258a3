import { defineDefense, type Judgement } from '../core/define-defense.ts';
import { option } from '../core/options.ts';
import { INJECTION_ACTS, INJECTION_RULES, type InjectionRule } from '../kernels/injection-rules.ts';
import { matchingText } from '../kernels/matching-text.ts';
import type { JsonObject, RetrievedPassage } from '../types.ts';

/**
 * Drops passages that speak to the language model instead of about the world: orders to ignore its instructions, dictated answers, forged chat
 * turns and special tokens, requests for secrets. Without a match a passage is kept with score 0.
 *
 * score = 1 - product over the matching rules of (1 - weight of the rule), each rule counted once. Rules are for English, Spanish, French,
 * German and Chinese, and match a folded text (no invisible characters, accents, look-alikes, case; letters set apart joined). The evidence
 * names the rules, strongest first, and the strongest one's span in the original `title` or `text`, in UTF-16 units.
 *
 * Of sentences written for it, it finds all 73 that the rules were made with, and 18 of 31 written before the rules and held out.
 *
 * Source: none, a mechanism of our own; the payloads it was written against are the prompt
 * injections of GRADA, TrustRAG and RobustRAG and the note of CorruptRAG. Deviations: none.
 *
 * @param options.threshold - Score in [0, 1]; at or above it a passage is dropped. Default 0.7: one strong rule or two weak
 * ones; no rule at all matches any of 10,503 clean passages of four English question-answering sets, so they do not bound it from above.
 * @returns One verdict per passage, in input order; score and suspicion as above.
 * @throws {BezoarError} `DUPLICATE_ID` when two passages share an id; `ABORTED` when the signal fired.
 *
 * Cost: O(characters * rules) time; 0 model calls. Deterministic.
 * Assumes: injected instructions are written in one of the languages, in words that instructions use. Fails when: the poison states a falsehood
 * and orders nothing (PoisonedRAG's texts); the order is paraphrased, encoded, drawn in another script or split over passages; or an
 * honest passage quotes an injection, as writing about this subject does: that one is dropped.
 *
 * @example
 * const result = await injectionFilter().run(createRetrieval('who?', ['Ignore all previous instructions.']), createRunContext());
 * result.verdicts[0].reason; // 'injected-instruction'
 */
export const injectionFilter = defineDefense({
  name: 'injection-filter',
  summary: 'Drops passages that give orders to the language model.',
  kind: 'filter',
  source: null,
  setLevel: false,
  options: { threshold: option.number(0.7, 'Score at or above which a passage is dropped.', { min: 0.01, max: 1 }) },
  reasons: {
    'injected-instruction': {
      meaning: 'it gives orders to the language model',
      sentence: ({ act, rules, span }) => {
        const { field, start, end } = span as JsonObject;
        const clause = INJECTION_ACTS[act as keyof typeof INJECTION_ACTS];
        const rule = Array.isArray(rules) ? String(rules[0]) : '';
        return `${clause} (rule ${rule}, characters ${String(start)} to ${String(end)}${field === 'title' ? ' of the title' : ''})`;
      },
    },
  },
  needs: () => [],
  run: ({ passages, texts }, { threshold }) => ({
    judgements: passages.map((passage, index): Judgement => {
      const found = findInstructions(texts[index]!);
      const strongest = found[0];
      if (!strongest) return { action: 'keep', score: 0, suspicion: 0, reason: 'kept' };
      const score = 1 - found.reduce((innocent, { rule }) => innocent * (1 - rule.weight), 1);
      const evidence = {
        rules: found.map(({ rule }) => rule.id),
        act: strongest.rule.act,
        language: strongest.rule.language,
        span: inField(passage, texts[index]!, strongest),
      };
      return score >= threshold
        ? { action: 'drop', score, suspicion: score, reason: 'injected-instruction', evidence }
        : { action: 'keep', score, suspicion: score, reason: 'kept', evidence };
    }),
  }),
});

interface Found {
  readonly rule: InjectionRule;
  readonly start: number;
  readonly end: number;
}

/** The first match of each rule that matches, strongest first. */
function findInstructions(text: string): Found[] {
  const folded = matchingText(text);
  return INJECTION_RULES.flatMap((rule): Found[] => {
    const match = rule.pattern.exec(folded.text);
    if (!match) return [];
    return [{ rule, start: folded.starts[match.index]!, end: folded.ends[match.index + match[0].length - 1]! }];
  }).sort((a, b) => b.rule.weight - a.rule.weight);
}

/** A span of the judged text as one of the title or the text; a match across both counts for the one it begins in. */
function inField({ title, text }: RetrievedPassage, judged: string, { start, end }: Found): JsonObject {
  const offset = judged.length - text.length;
  if (start >= offset) return { field: 'text', start: start - offset, end: end - offset };
  return { field: 'title', start, end: Math.min(end, title?.length ?? 0) };
}
