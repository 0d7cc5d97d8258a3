import { MAX_CHARACTERS } from '@bezoar/core';
import { confusableEdits } from '@bezoar/core/kernels/confusables';
import type { IngestRule, RuleMatch } from '../finding.ts';
import { judgedText, spanOf, wholeText } from '../judged-text.ts';
import { visibleText } from '../visible-text.ts';

const SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const CONTROL = /[\x00-\x08\x0e-\x1b\x7f]/g;
const REPLACEMENT = /\ufffd/g;
const MAYBE_ODD = /[^\n\r\t\x20-\x7e\xa0-\u036f\u2010-\u2027]/;
/** From this share of the characters on a text was decoded wrongly, or is no text. */
const BROKEN = 0.05;
/** One mixed word is a slip, three are a method. */
const METHOD = 3;

/**
 * Text that is not what it seems to be: halves of surrogate pairs, control characters, replacement characters where bytes were lost, words that
 * mix look-alike letters of two scripts ("pаypal" with a Cyrillic a). Medium for what is broken or mixed three times, low for less.
 */
export const unsupportedEncoding: IngestRule = {
  id: 'unsupported-encoding',
  title: 'is not clean Unicode text',
  severity: 'medium',
  start: () => ({
    check({ passage }) {
      const text = judgedText(passage);
      const matches: RuleMatch[] = [];
      if (passage.text.length > MAX_CHARACTERS) {
        const message = `has ${passage.text.length} characters, more than a passage can have`;
        matches.push({ severity: 'medium', span: wholeText(passage), message, evidence: visibleText(text, 80), key: 'length' });
      }
      if (!MAYBE_ODD.test(text)) return matches;
      const add = (severity: 'low' | 'medium', at: number, end: number, message: string, key: string): void => {
        const evidence = visibleText(text.slice(Math.max(0, at - 20), end + 20));
        matches.push({ severity, span: spanOf(passage, at, end), message, evidence, key });
      };
      const lone = text.search(SURROGATE);
      if (lone >= 0) add('medium', lone, lone + 1, 'has half of a surrogate pair, which no UTF-8 file can hold', 'surrogate');
      for (const [key, pattern, what] of [
        ['control', CONTROL, 'control'],
        ['replacement', REPLACEMENT, 'replacement'],
      ] as const) {
        const count = text.match(pattern)?.length ?? 0;
        if (count === 0) continue;
        const at = text.search(pattern);
        add(
          count >= BROKEN * text.length ? 'medium' : 'low',
          at,
          at + 1,
          `has ${count} ${what} ${count === 1 ? 'character' : 'characters'}`,
          key,
        );
      }
      const mixed = confusableEdits(text);
      const first = mixed[0];
      if (first) {
        const words = mixed.filter((edit, index) => index === 0 || /\s/.test(text.slice(mixed[index - 1]!.end, edit.start))).length;
        const message = `mixes look-alike letters of two scripts in ${words} ${words === 1 ? 'word' : 'words'}`;
        add(words >= METHOD ? 'medium' : 'low', first.start, first.end, message, 'mixed');
      }
      return matches;
    },
  }),
};
