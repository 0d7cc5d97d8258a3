import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordPiece } from './wordpiece.ts';

const golden = JSON.parse(readFileSync(new URL('../../../tests/golden/wordpiece.json', import.meta.url), 'utf8')) as {
  cases: { text: string; pieces: string[] }[];
};

const places = JSON.parse(readFileSync(new URL('../../../tests/golden/piece-spans.json', import.meta.url), 'utf8')) as {
  cases: { text: string; spans: [number, number][] }[];
};

/** The vocabulary inside the asset: the teacher's without special and reserved pieces, which no text can spell. */
const asset = readFileSync(new URL('../assets/static-encoder.bin', import.meta.url));
const vocabulary = asset
  .subarray(20, 20 + asset.readUInt32LE(16))
  .toString('utf8')
  .split('\n');
const tokenizer = wordPiece(vocabulary);
const pieces = (text: string): string[] => tokenizer.encode(text).map((id) => (id < 0 ? '[UNK]' : vocabulary[id]!));

describe('wordPiece', () => {
  it.each(golden.cases)('splits $text as Python does', ({ text, pieces: expected }) => {
    expect(pieces(text)).toEqual(expected);
  });

  it('never gives a special piece, though the vocabulary has it', () => {
    const list = ['[CLS]', '[SEP]', '[', ']', 'sep', 'cls', 'a'];
    expect(
      wordPiece(list)
        .encode('[CLS]a[SEP]')
        .map((id) => list[id]),
    ).toEqual(['[', 'cls', ']', 'a', '[', 'sep', ']']);
  });

  it('prefers the longest piece and gives up on the whole word', () => {
    const list = ['un', 'una', '##ff', '##able', '##a', 'x'];
    const small = wordPiece(list);
    expect(small.encode('unaffable')).toEqual([1, 2, 3]);
    expect(small.encode('unaffordable x')).toEqual([-1, 5]);
    expect(small.encode('')).toEqual([]);
  });

  it('counts the first of two equal pieces', () => {
    expect(wordPiece(['a', 'b', 'a']).encode('a b')).toEqual([0, 1]);
  });

  it('reads a lone ## as punctuation, not as the mark of a continuation', () => {
    expect(wordPiece(['##', '#', '##a', 'a']).encode('##a')).toEqual([1, 1, 3]);
  });

  it('bounds a word at 100 characters, counting characters beyond the basic plane once', () => {
    const list = ['a', '##a', '\u{10330}', '##\u{10330}'];
    const small = wordPiece(list);
    expect(small.encode('a'.repeat(100))).toHaveLength(100);
    expect(small.encode('a'.repeat(101))).toEqual([-1]);
    expect(small.encode('\u{10330}'.repeat(100))).toHaveLength(100);
    expect(small.encode('\u{10330}'.repeat(101))).toEqual([-1]);
    expect(wordPiece(['a'.repeat(101)]).encode('a'.repeat(101))).toEqual([-1]);
  });

  it('drops lone surrogates', () => {
    expect(pieces('ab\ud800out \udc00')).toEqual(['about']);
  });

  it('takes the same path through ASCII and Unicode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        expect(tokenizer.encode(`${text} \u00e9`).slice(0, -1)).toEqual(tokenizer.encode(`${text} `));
      }),
    );
  });

  it('gives only indices of the vocabulary, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const id of tokenizer.encode(text)) expect(id >= -1 && id < vocabulary.length).toBe(true);
      }),
    );
  });

  it('stays linear on long hostile text', () => {
    const started = performance.now();
    for (const unit of ['a', '\u0301', '\u0315\u0300', '\u302e\u{1d165}', '[', '\u4e00', '\ud800', '##', 'a\u200b', '\u{1d400}'])
      tokenizer.encode(unit.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it.each(places.cases)('says where the pieces of $text stand as Python does', ({ text, spans }) => {
    expect(tokenizer.spans(text).map(({ start, end }) => [start, end])).toEqual(spans);
  });

  it('says where the pieces stand', () => {
    const list = ['un', '##aff', '##able', 'a', 'cafe', '\u4e2d', '!', '\u1112', '##\u1161', '##\u11ab'];
    const small = wordPiece(list);
    const shown = (text: string) => small.spans(text).map(({ start, end }) => text.slice(start, end));
    expect(shown('')).toEqual([]);
    expect(shown('  unaffable\tA! zz')).toEqual(['un', 'aff', 'able', 'A', '!', 'zz']);
    expect(small.spans('a  unaffable')).toEqual([
      { start: 0, end: 1 },
      { start: 3, end: 5 },
      { start: 5, end: 8 },
      { start: 8, end: 12 },
    ]);
    // Accents of one character or two, what is dropped, ideographs set apart, characters beyond 16 bits.
    expect(shown('\u200bCaf\u00e9 cafe\u0301! a\u4e2da')).toEqual(['Caf\u00e9', 'cafe', '!', 'a', '\u4e2d', 'a']);
    expect(shown('u\u00adn a \u{1f600}')).toEqual(['u\u00adn', 'a', '\u{1f600}']);
    // A syllable that decomposes into three pieces is each of them.
    expect(small.spans('a \ud55c')).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 3 },
      { start: 2, end: 3 },
      { start: 2, end: 3 },
    ]);
  });

  it('gives a place for each piece, whatever the text: in order, inside, and spelling the piece', () => {
    const unit = fc.constantFrom('grapheme', 'binary', 'grapheme-ascii', 'binary-ascii');
    const marks = fc.constantFrom(
      '\u0301',
      '\u0903'.repeat(40),
      '\u302e\u{1d165}',
      '\u00e9',
      '\ud800',
      '\ufdd0',
      '\ufb01',
      '\u0130',
      '\u03a3',
    );
    const text = fc
      .array(
        fc.oneof(
          unit.chain((kind) => fc.string({ unit: kind, maxLength: 12 })),
          marks,
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const ids = tokenizer.encode(given);
        const spans = tokenizer.spans(given);
        expect(spans).toHaveLength(ids.length);
        let last = 0;
        for (const [i, { start, end }] of spans.entries()) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(given.length);
          last = start;
          // Read alone, a first piece is itself.
          const spelling = ids[i]! < 0 ? null : vocabulary[ids[i]!]!;
          if (spelling && !spelling.startsWith('##') && /^[\x20-\x7e]*$/.test(given))
            expect(given.slice(start, end).toLowerCase()).toBe(spelling);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
