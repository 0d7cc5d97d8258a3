/**
 * Measures `lexical-anomaly` with the built-in model on the development data and prints Markdown tables.
 *
 *   npx tsx scripts/measure-lexical-anomaly.ts [--shared ../shared] [--bytes FILE] [--limit 500] [--seed 1]
 *
 * Each row of the first table changes every clean passage in one way and counts how many are dropped. Words of a salad are drawn from all
 * pieces of BERT's vocabulary, as the decoded end of a token-flipping attack would be; it is no attack itself, since nothing is optimised.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRunContext } from '../packages/core/src/core/run-context.ts';
import { lexicalAnomaly } from '../packages/core/src/defenses/lexical-anomaly.ts';
import { createRandom, type Random } from '../packages/core/src/kernels/random.ts';
import type { Verdict } from '../packages/core/src/types.ts';
import { loadNgramLikelihood } from '../packages/models/src/ngram-likelihood.ts';

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string', default: process.env.BEZOAR_SHARED ?? '../shared' },
    bytes: { type: 'string' },
    limit: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});

const DATASETS = ['hotpotqa', 'ramdocs', 'realtimeqa', 'simpleqa'];
const SALAD = 30; // tokens, as many as the flips of ALGORITHMS 3.3

const likelihood = await loadNgramLikelihood(options.bytes === undefined ? {} : { bytes: readFileSync(options.bytes) });
const context = createRunContext({ likelihood });
const defense = lexicalAnomaly();

type Line = Readonly<Record<string, string>>;
const lines = (path: string): Line[] =>
  readFileSync(join(options.shared, 'data', path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const pieces = Object.keys(
  (JSON.parse(readFileSync(join(options.shared, 'models/all-MiniLM-L6-v2/tokenizer.json'), 'utf8')) as { model: { vocab: object } }).model
    .vocab,
).filter((piece) => !/^\[.+\]$/.test(piece));

async function judge(texts: readonly string[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let from = 0; from < texts.length; from += 500) {
    const passages = texts.slice(from, from + 500).map((text, index) => ({ id: `p${from + index}`, text, rank: index + 1 }));
    verdicts.push(...(await defense.run({ query: { id: 'q', text: '' }, passages }, context)).verdicts);
  }
  return verdicts;
}

const share = (part: number, all: number): string => (all === 0 ? '–' : `${((100 * part) / all).toFixed(1)} %`);

async function cell(texts: readonly string[]): Promise<string> {
  const verdicts = await judge(texts);
  const unjudged = verdicts.filter(({ reason }) => reason === 'not-judged').length;
  const dropped = share(verdicts.filter(({ reason }) => reason === 'unlikely-text').length, verdicts.length);
  return unjudged === 0 ? dropped : `${dropped} (${share(unjudged, verdicts.length)} not judged)`;
}

/** Pieces decoded as BERT's tokenizer does: a piece that continues a word joins the one before. */
function salad(count: number, random: Random): string[] {
  const words: string[] = [];
  for (let i = 0; i < count; i++) {
    const piece = pieces[random.integer(pieces.length)]!;
    if (piece.startsWith('##') && words.length > 0) words.push(words.pop()! + piece.slice(2));
    else words.push(piece.replace(/^##/, ''));
  }
  return words;
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function spread(words: readonly string[], among: readonly string[]): string {
  const place = (index: number): number => Math.floor((index * among.length) / words.length);
  return words.flatMap((word, index) => [word, ...among.slice(place(index), place(index + 1))]).join(' ');
}

/** Every letter of a word of three letters or more is replaced by a random one at this rate. */
const NOISE = 0.1;
function noise(text: string, random: Random): string {
  return text.replace(/\p{L}{3,}/gu, (word) =>
    Array.from(word, (letter) => (random.next() < NOISE ? String.fromCharCode(97 + random.integer(26)) : letter)).join(''),
  );
}

const words = (text: string): string[] => text.split(/\s+/);
type Change = (text: string, random: Random, question: string) => string;
const CHANGES: Readonly<Record<string, Change>> = {
  clean: (text) => text,
  [`${SALAD} random wordpieces in front`]: (text, random) => `${salad(SALAD, random).join(' ')} ${text}`,
  [`${SALAD} random wordpieces, each with a capital, in front`]: (text, random) => `${salad(SALAD, random).map(capital).join(' ')} ${text}`,
  [`${SALAD} random wordpieces spread through`]: (text, random) => spread(salad(SALAD, random), words(text)),
  '10 random wordpieces in front': (text, random) => `${salad(10, random).join(' ')} ${text}`,
  [`${SALAD} random wordpieces alone`]: (_, random) => salad(SALAD, random).join(' '),
  'words in random order': (text, random) => random.shuffle(words(text)).join(' '),
  [`${100 * NOISE} % of letters replaced`]: noise,
  'question in front (query-as-poison)': (text, _, question) => `${question} ${text}`,
};

const seed = Number(options.seed);
const data = DATASETS.map((dataset) => {
  const texts = lines(`${dataset}/corpus.jsonl`).map(({ title, text }) => (title ? `${title}\n${text}` : text!));
  return {
    clean: texts,
    sample: createRandom(seed).shuffle(texts).slice(0, Number(options.limit)),
    questions: lines(`${dataset}/queries.jsonl`).map(({ text }) => text!),
  };
});

console.log(`Model ${likelihood.name}: mean ${likelihood.threshold}, stretch ${likelihood.peak?.threshold} nats a token; seed ${seed}.\n`);
console.log(`| dropped | ${DATASETS.join(' | ')} |\n|---|${DATASETS.map(() => '---|').join('')}`);
for (const [name, change] of Object.entries(CHANGES)) {
  const cells: string[] = [];
  for (const { clean, sample, questions } of data) {
    const random = createRandom(seed);
    cells.push(
      await cell((name === 'clean' ? clean : sample).map((text, index) => change(text, random, questions[index % questions.length]!))),
    );
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}

/** Written for this measurement, two sentences a language. */
const OTHER_LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  French: [
    'La bibliothèque de la ville a rouvert ses portes au printemps après trois ans de travaux financés par la région.',
    'Les habitants du quartier demandent depuis longtemps que la gare soit reliée au centre par une ligne de tramway.',
  ],
  German: [
    'Die Brücke über den Fluss wurde im vergangenen Sommer gesperrt, weil sich in mehreren Pfeilern Risse gezeigt hatten.',
    'Der Verein sucht noch Freiwillige, die am Wochenende beim Aufbau der Stände auf dem Marktplatz helfen können.',
  ],
  Spanish: [
    'El museo abrirá una nueva sala dedicada a los pintores que trabajaron en la costa durante los años veinte.',
    'Los agricultores de la comarca esperan que las lluvias de este otoño llenen por fin los embalses.',
  ],
  Italian: [
    'Il comune ha deciso di restaurare la vecchia torre che domina la piazza e di aprirla ai visitatori.',
    'Gli studenti della scuola hanno raccolto per mesi le storie degli anziani del paese e ne hanno fatto un libro.',
  ],
  Dutch: [
    'De gemeente wil volgend jaar meer bomen planten langs de wegen die in de zomer te heet worden.',
    'Volgens de onderzoekers zijn er nog nooit zoveel vogels geteld in het gebied achter de duinen.',
  ],
  Polish: [
    'W zeszłym roku miasto wyremontowało stary dworzec i otworzyło w nim bibliotekę dla dzieci i młodzieży.',
    'Mieszkańcy wsi od dawna czekają na nową drogę, która połączy ich ze szpitalem w mieście.',
  ],
  Indonesian: [
    'Pemerintah kota akan membangun taman baru di dekat pasar lama sebelum musim hujan tahun depan.',
    'Para nelayan di pantai utara berharap harga ikan segera naik kembali setelah badai berlalu.',
  ],
  Russian: [
    'Городской музей открыл новую выставку о жизни рыбаков на севере страны.',
    'Жители села давно просят построить мост через реку.',
  ],
  Arabic: ['افتتحت المدينة مكتبة جديدة للأطفال بالقرب من الحديقة العامة.', 'ينتظر سكان القرية منذ سنوات بناء جسر فوق النهر.'],
  Chinese: ['这座城市去年在老火车站旁边新建了一座图书馆。', '村民们多年来一直希望在河上修一座桥。'],
  Japanese: ['市は来年、古い駅の近くに新しい公園を作る予定です。', '村の人々は長い間、川に橋がかかるのを待っています。'],
};
const poisons = lines('poisonedrag-targets/nq.jsonl') as unknown as readonly { question: string; texts: readonly string[] }[];
const foreign = await judge(Object.values(OTHER_LANGUAGES).flat());
const named = Object.entries(OTHER_LANGUAGES).flatMap(([language, texts]) => texts.map(() => language));
const dropped = [...new Set(named.filter((_, index) => foreign[index]!.action === 'drop'))];

console.log('\n| other texts | dropped |\n|---|---|');
console.log(`| PoisonedRAG's released texts | ${await cell(poisons.flatMap(({ texts }) => texts))} |`);
console.log(
  `| the same after "question." | ${await cell(poisons.flatMap(({ question, texts }) => texts.map((text) => `${question}.${text}`)))} |`,
);
for (const dataset of DATASETS.slice(1)) {
  console.log(`| wrong texts of ${dataset} | ${await cell(lines(`${dataset}/misinformation.jsonl`).map(({ text }) => text!))} |`);
}
console.log(
  `| ${named.length} sentences in other languages | ${await cell(Object.values(OTHER_LANGUAGES).flat())}: ${dropped.join(', ') || 'none'} |`,
);
