import { INJECTION_ACTS, INJECTION_RULES } from '@bezoar/core/kernels/injection-rules';
import { type MatchingText, matchingText } from '@bezoar/core/kernels/matching-text';
import type { IngestRule } from '../finding.ts';
import { judgedText, spanOf } from '../judged-text.ts';
import { visibleText } from '../visible-text.ts';

/** One strong pattern, or two weak ones; the value of the defense `injection-filter`. */
const CERTAIN = 0.7;

const PLAIN = /^[\n\x20-\x7e]*$/;
/** What folding changes in plain text beside case: letters set apart, and runs of white space. */
const FOLDED = /[ \n][ \n]|[a-z]([ .*_-])[a-z]\1[a-z](?![a-z\d])/i;

/** `matchingText` without a list of offsets for texts that folding only lower-cases, as most are. */
export function foldedText(text: string): {
  readonly text: string;
  readonly place: (unit: number) => readonly [start: number, end: number];
} {
  if (PLAIN.test(text) && !FOLDED.test(text)) return { text: text.toLowerCase(), place: (unit) => [unit, unit + 1] };
  const folded: MatchingText = matchingText(text);
  return { text: folded.text, place: (unit) => [folded.starts[unit]!, folded.ends[unit]!] };
}

/**
 * Orders to a language model: the patterns of the defense `injection-filter`, with the same weights. High at its threshold, medium for one
 * weak pattern. Fails when the order is paraphrased; an honest text about injections is found too.
 */
export const injectedInstruction: IngestRule = {
  id: 'injected-instruction',
  title: 'gives orders to the language model',
  severity: 'high',
  start: () => ({
    check({ passage }) {
      const text = judgedText(passage);
      const folded = foldedText(text);
      const found = INJECTION_RULES.flatMap((rule) => {
        const match = rule.pattern.exec(folded.text);
        return match ? [{ rule, start: match.index, end: match.index + match[0].length }] : [];
      }).sort((a, b) => b.rule.weight - a.rule.weight);
      const strongest = found[0];
      if (!strongest) return [];
      const score = 1 - found.reduce((innocent, { rule }) => innocent * (1 - rule.weight), 1);
      const [start] = folded.place(strongest.start);
      const [, end] = folded.place(strongest.end - 1);
      return [
        {
          severity: score >= CERTAIN ? 'high' : 'medium',
          span: spanOf(passage, start, end),
          message: `${INJECTION_ACTS[strongest.rule.act]} (pattern ${strongest.rule.id})`,
          evidence: visibleText(text.slice(start, end)),
          key: strongest.rule.id,
        },
      ];
    },
  }),
};
