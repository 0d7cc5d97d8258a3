import { longestSharedRun } from '@bezoar/core/kernels/longest-shared-run';
import { tokenizeUnicode } from '@bezoar/core/kernels/tokenize-unicode';
import { STOP_WORDS } from '@bezoar/core/kernels/tokenize-words';
import type { FindingSpan, IngestRule, RuleMatch } from '../finding.ts';
import { hashText, hashWords, mixBits } from '../hash-words.ts';
import { visibleText } from '../visible-text.ts';

/** A question of fewer words is a heading or a figure of speech. */
const LEAST_WORDS = 5;
/** Questions are short, and a mark far from the beginning closes something else. */
const MOST_CHARACTERS = 300;
/** Different passages that open with one question: two may come from two sources, three are a campaign. */
const CAMPAIGN = 3;
/** Words of a run of a known question by which its passages are found. */
const RUN = 5;
/** Share of a known question that stands in one run; the value of the defense `question-echo`. */
const SHARE = 0.8;
const MAX_QUESTION_WORDS = 256;
/** Known questions that one passage is compared with. */
const MAX_COMPARED = 16;

const MARK = /[?？؟]/;
const INNER_END = /[.!;。！]\s|\n/g;

interface Opening {
  readonly question: string;
  readonly start: number;
  readonly end: number;
  /** Hashes of the question's words. */
  readonly words: readonly number[];
}

/** The question that a text opens with, where something that is none follows it. */
export function openingQuestion(text: string): Opening | null {
  const head = text.slice(0, MOST_CHARACTERS);
  const mark = head.search(MARK);
  if (mark < 0) return null;
  // A statement before the question makes it part of a report.
  INNER_END.lastIndex = 0;
  const start = head.length - head.trimStart().length;
  const inner = INNER_END.exec(head.trimStart().slice(0, mark - start));
  if (inner) return null;
  const question = head.slice(start, mark + 1);
  const words = hashWords(question);
  const rest = text.slice(mark + 1, mark + 1 + MOST_CHARACTERS);
  const next = rest.search(/[.?!。？！؟]/);
  const asks = next >= 0 && MARK.test(rest[next]!);
  if (words.length < LEAST_WORDS || asks || hashWords(rest).length < LEAST_WORDS) return null;
  return { question, start, end: mark + 1, words };
}

const STOPS = new Set(
  [
    ...STOP_WORDS,
    'who',
    'what',
    'when',
    'where',
    'which',
    'why',
    'how',
    'did',
    'does',
    'do',
    'has',
    'have',
    'from',
    'its',
    'his',
    'her',
  ].map(hashText),
);

/**
 * Question bait: a passage must resemble the question to be retrieved for it, so poison carries it. Without knowing the questions: low for a
 * text that opens with a question and goes on to tell, medium where what follows shares no word with the question, high where three or more
 * different passages open with the same question. With `questions`: high for a passage that carries one of them whole, medium for
 * four fifths of one in one run.
 *
 * Fails when the question is paraphrased, or stands in the middle and nobody says which questions there are; pages of frequent questions are
 * found too, low.
 */
export const repeatsQuestion: IngestRule = {
  id: 'repeats-question',
  title: 'repeats a question, as planted passages do to be retrieved',
  severity: 'high',
  start: ({ questions }) => {
    const known = knownQuestions(questions);
    const campaigns = new Map<
      number,
      { readonly index: number; readonly rest: number; readonly span: FindingSpan; readonly question: string }[]
    >();
    return {
      check({ passage }) {
        const { text } = passage;
        const carried = known(text);
        if (carried) return [carried];
        const opening = openingQuestion(text);
        if (!opening) return [];
        const rest = new Set(hashWords(text.slice(opening.end, opening.end + 10 * MOST_CHARACTERS)));
        const foreign = !opening.words.some((word) => !STOPS.has(word) && rest.has(word));
        return [
          {
            severity: foreign ? 'medium' : 'low',
            span: { field: 'text', start: opening.start, end: opening.end },
            message: foreign ? 'opens with a question and goes on about something else' : 'opens with a question and goes on to tell',
            evidence: visibleText(opening.question),
            key: 'opening',
          },
        ];
      },
      observe({ passage: { text } }, index) {
        const opening = openingQuestion(text);
        if (!opening) return;
        let key = 0;
        let wide = 0;
        for (const word of opening.words) {
          key = mixBits(Math.imul(key, 31) + word);
          wide = Math.imul(wide, 37) + word;
        }
        const at = key * 2 ** 20 + (wide & 0xfffff);
        const entry = {
          index,
          rest: hashText(text.slice(opening.end)),
          span: { field: 'text', start: opening.start, end: opening.end } as const,
          question: visibleText(opening.question, 120),
        };
        const together = campaigns.get(at);
        if (together) together.push(entry);
        else campaigns.set(at, [entry]);
      },
      *finish() {
        for (const together of campaigns.values()) {
          const different = new Set(together.map(({ rest }) => rest)).size;
          if (different < CAMPAIGN) continue;
          for (const { index, span, question } of together) {
            yield {
              index,
              severity: 'high',
              span,
              message: `opens with a question with which ${different} different passages open`,
              evidence: question,
              key: 'campaign',
            };
          }
        }
      },
    };
  },
};

/** Finds, in time linear in the text, the known question that it carries most of. */
function knownQuestions(questions: readonly string[]): (text: string) => RuleMatch | null {
  if (questions.length === 0) return () => null;
  const words = questions.map((question) => hashWords(question).slice(0, MAX_QUESTION_WORDS));
  /** Questions by each run of five of their words. */
  const runs = new Map<number, number[]>();
  for (const [question, list] of words.entries()) {
    for (let from = 0; from + RUN <= list.length; from++) {
      const run = runHash(list, from);
      const holders = runs.get(run);
      if (!holders) runs.set(run, [question]);
      else if (holders.length < MAX_COMPARED && holders.at(-1) !== question) holders.push(question);
    }
  }
  return (text) => {
    const hashes = hashWords(text);
    const met = new Map<number, number>();
    for (let from = 0; from + RUN <= hashes.length; from++) {
      for (const question of runs.get(runHash(hashes, from)) ?? []) met.set(question, (met.get(question) ?? 0) + 1);
    }
    if (met.size === 0) return null;
    let best = { share: 0, question: -1 };
    for (const [question] of [...met].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_COMPARED)) {
      const asked = tokenizeUnicode(questions[question]!).slice(0, MAX_QUESTION_WORDS);
      const share = longestSharedRun(asked, tokenizeUnicode(text)) / asked.length;
      if (share > best.share) best = { share, question };
    }
    if (best.share < SHARE) return null;
    const whole = best.share === 1;
    const asked = questions[best.question]!;
    const at = text.indexOf(asked);
    return {
      severity: whole ? 'high' : 'medium',
      span: { field: 'text', start: Math.max(0, at), end: at < 0 ? text.length : at + asked.length },
      message: whole
        ? 'carries a known question word for word'
        : `carries ${Math.round(100 * best.share)} % of a known question in one run`,
      evidence: visibleText(asked),
      key: `known ${hashText(asked)}`,
    };
  };
}

function runHash(words: readonly number[], from: number): number {
  let hash = 0;
  for (let at = from; at < from + RUN; at++) hash = mixBits(Math.imul(hash, 31) + words[at]!);
  return hash;
}
