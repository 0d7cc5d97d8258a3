import type { Passage } from '@bezoar/core';
import type { IngestRule, RuleMatch } from '../finding.ts';
import { hashText, mixBits } from '../hash-words.ts';
import { judgedText, spanOf } from '../judged-text.ts';
import { visibleText } from '../visible-text.ts';

/** Words of a sentence that are neither names nor numbers; fewer fit too many sentences. */
const LEAST_WORDS = 4;
const MAX_SENTENCES = 200;
const MAX_WORDS = 80;
/** Trusted sentences with the same words that one is compared with. */
const MAX_ALIKE = 16;
/** Trusted sentences held; beyond, further ones are not compared with. */
const MAX_HELD = 1_000_000;

const SENTENCE = /[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*/g;
const WORD = /[\p{L}\p{N}]+(?:['’.,:-](?=[\p{L}\p{N}])[\p{L}\p{N}]+)*/gu;
const UPPER = /^\p{Lu}/u;
const DIGIT = /\p{N}/u;
const CALENDAR =
  /^(january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/;

/** A sentence as its words with every run of names and numbers as one slot. */
interface Frame {
  readonly key: number;
  readonly slots: readonly { readonly value: string; readonly isName: boolean; readonly start: number; readonly end: number }[];
}

interface Held {
  readonly passage: number;
  readonly values: readonly string[];
}

interface Tally {
  agreed: number;
  named: boolean;
  readonly differing: { readonly start: number; readonly end: number; readonly here: string; readonly there: string }[];
}

/**
 * A passage that says something else than a trusted source in the same words: sentences that are equal but for a name, a number or a date, where
 * the rest agrees. High; silent unless sources are marked as trusted. The two must agree on at least as many names and numbers as they differ in,
 * one of them a name (or have the same title), and differ in at most two places.
 *
 * Cost: O(words) time; memory for the trusted sentences. Fails when the falsehood is told in other words; a page that was updated contradicts
 * its trusted older version too. Names are told by capital letters, so scripts without them only have their numbers compared.
 */
export const contradictsTrusted: IngestRule = {
  id: 'contradicts-trusted',
  title: 'says something else than a trusted source in the same words',
  severity: 'high',
  start: () => {
    const held = new Map<number, Held[]>();
    const trusted: { readonly id: string; readonly title: string }[] = [];
    const ids = new Set<string>();
    let sentences = 0;
    return {
      trust(passage) {
        if (ids.has(passage.id)) return;
        ids.add(passage.id);
        trusted.push({ id: visibleText(passage.id, 80), title: titleOf(passage) });
        for (const { key, slots } of framesOf(judgedText(passage))) {
          const alike = held.get(key) ?? [];
          if (alike.length >= MAX_ALIKE || sentences >= MAX_HELD) continue;
          sentences++;
          held.set(key, [...alike, { passage: trusted.length - 1, values: slots.map(({ value }) => value) }]);
        }
      },
      check({ passage, trusted: isTrusted }) {
        if (isTrusted || held.size === 0) return [];
        const title = titleOf(passage);
        const tallies = new Map<number, Tally>();
        for (const { key, slots } of framesOf(judgedText(passage))) {
          for (const other of held.get(key) ?? []) {
            if (other.values.length !== slots.length) continue;
            const theirs = trusted[other.passage]!.title;
            if (title !== '' && theirs !== '' && title !== theirs) continue;
            const tally = tallies.get(other.passage) ?? { agreed: 0, named: title !== '' && title === theirs, differing: [] };
            tallies.set(other.passage, tally);
            for (const [place, { value, isName, start, end }] of slots.entries()) {
              if (value === other.values[place]) {
                tally.agreed++;
                if (isName) tally.named = true;
              } else tally.differing.push({ start, end, here: value, there: other.values[place]! });
            }
          }
        }
        for (const [index, { agreed, named, differing }] of tallies) {
          if (!named || differing.length === 0 || differing.length > 2 || agreed < differing.length) continue;
          const { start, end, here, there } = differing[0]!;
          const match: RuleMatch = {
            severity: 'high',
            span: spanOf(passage, start, end),
            message: `says otherwise than ${trusted[index]!.id}, which is trusted`,
            evidence: visibleText(`${here} here, ${there} there`),
            key: `${hashText(here)} ${hashText(there)}`,
          };
          return [match];
        }
        return [];
      },
    };
  },
};

const titleOf = ({ title = '' }: Passage): string => title.trim().toLowerCase();

/** The sentences of a text that have a slot and enough other words. */
function* framesOf(text: string): Generator<Frame> {
  let sentences = 0;
  for (const { 0: sentence, index: offset } of text.matchAll(SENTENCE)) {
    if (++sentences > MAX_SENTENCES) return;
    const slots: { value: string; isName: boolean; start: number; end: number }[] = [];
    let key = 0;
    let words = 0;
    let count = 0;
    let open = false;
    for (const { 0: word, index } of sentence.matchAll(WORD)) {
      if (++count > MAX_WORDS) break;
      const lower = word.toLowerCase();
      const isNumber = DIGIT.test(word) || CALENDAR.test(lower);
      const isName = !isNumber && UPPER.test(word);
      if (isNumber || isName) {
        const slot = slots.at(-1);
        const end = offset + index + word.length;
        if (open && slot) slots[slots.length - 1] = { ...slot, value: `${slot.value} ${lower}`, isName: slot.isName || isName, end };
        else {
          slots.push({ value: lower, isName, start: offset + index, end });
          key = mixBits(Math.imul(key, 31) + 1);
        }
        open = true;
      } else {
        key = mixBits(Math.imul(key, 31) + hashText(lower));
        words++;
        open = false;
      }
    }
    if (slots.length > 0 && words >= LEAST_WORDS) yield { key, slots };
  }
}
