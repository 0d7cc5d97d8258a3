import { invisibleEdits } from '@bezoar/core/kernels/strip-invisible';
import { htmlEdits } from '@bezoar/core/kernels/strip-markup';
import type { TextEdit } from '@bezoar/core/kernels/text-edits';
import type { IngestRule, RuleMatch, Severity } from '../finding.ts';
import { judgedText, spanOf } from '../judged-text.ts';
import { visibleText } from '../visible-text.ts';

/** Invisible characters in a row that no layout needs: eight hide a byte. */
const HIDES = 8;
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;
const MAYBE_INVISIBLE = /[^\n\r\t\x20-\x7e\xa1-\xac\xae-\u017f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]/;
const WORD = /\p{L}{2}/u;

/**
 * Text that a model reads and a person does not see: tag characters, runs of zero-width characters, overrides of the writing direction,
 * elements hidden by HTML. High for what carries words or can (tag characters, hidden elements with words, eight or more in a row), medium
 * for overrides and for comments with words, low for a stray soft hyphen or zero-width space, which web pages are full of.
 */
export const invisibleText: IngestRule = {
  id: 'invisible-text',
  title: 'has text that readers do not see',
  severity: 'high',
  start: () => ({
    check({ passage }) {
      const text = judgedText(passage);
      const matches: RuleMatch[] = [];
      const add = (severity: Severity, edit: TextEdit, message: string): void => {
        const shown = text.slice(edit.start, edit.end).replace(TAGS, (tags) => Array.from(tags, untag).join(''));
        const evidence = visibleText(shown);
        matches.push({ severity, span: spanOf(passage, edit.start, edit.end), message, evidence, key: edit.kind });
      };
      if (MAYBE_INVISIBLE.test(text)) {
        const edits = invisibleEdits(text, { invisible: true, bidi: true, controls: false });
        const worst = best(edits, (edit) =>
          edit.kind === 'tag-character' ? 3 : edit.end - edit.start >= HIDES ? 2 : edit.kind === 'override' ? 1 : 0,
        );
        if (worst) {
          const tags = worst.kind === 'tag-character';
          const run = worst.end - worst.start >= HIDES;
          add(
            tags || run ? 'high' : worst.kind === 'override' ? 'medium' : 'low',
            worst,
            tags
              ? 'hides text in tag characters'
              : `has invisible characters in ${edits.length} ${edits.length === 1 ? 'place' : 'places'}${run ? `, ${worst.end - worst.start} in a row` : ''}`,
          );
        }
      }
      if (text.includes('<')) {
        const shows = ({ start, end, kind }: TextEdit): boolean => {
          const piece = text.slice(start, end);
          return WORD.test(kind === 'comment' ? piece.slice(4) : piece.replace(/<[^<>]*>/g, ' '));
        };
        const hidden = htmlEdits(text).filter((edit) => (edit.kind === 'hidden' || edit.kind === 'comment') && shows(edit));
        const worst = best(hidden, (edit) => (edit.kind === 'hidden' ? 1 : 0));
        if (worst) {
          const comment = worst.kind === 'comment';
          add(comment ? 'medium' : 'high', worst, comment ? 'has words in a comment' : 'has words in an element that no browser shows');
        }
      }
      return matches;
    },
  }),
};

/** The ASCII character that a tag character stands for. */
const untag = (tag: string): string => String.fromCharCode(tag.codePointAt(0)! - 0xe0000);

/** The first of the highest. */
function best<T>(items: readonly T[], height: (item: T) => number): T | undefined {
  let found: T | undefined;
  for (const item of items) if (found === undefined || height(item) > height(found)) found = item;
  return found;
}
