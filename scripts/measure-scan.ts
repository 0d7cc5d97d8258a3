/**
 * Measures the ingest rules on the development data and prints Markdown tables: what share of planted passages each rule finds, and of clean
 * passages each flags, with Wilson's 95 % intervals. Nothing is fitted here.
 *
 *   npx tsx scripts/measure-scan.ts [--shared ../shared] [--seed 1] [--poisons 5]
 *
 * Each attack is planted for all questions of a dataset together into a copy of its corpus, which is then scanned whole, poison last. Planted passages have no
 * source, so the sources of clean ones are taken away too. The rule about trusted sources is measured apart: every other passage of the clean
 * corpus is trusted, and the others are judged, clean or as the dataset's wrong texts.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawIrrelevant, openDataset, targetsOf } from '../packages/bench/src/index.ts';
import { wilsonInterval } from '../packages/bench/src/statistics/wilson-interval.ts';
import { type Passage, passageText } from '../packages/core/src/index.ts';
import { loadStaticEncoder } from '../packages/models/src/static-encoder.ts';
import { attackFromSpec, plantPoison } from '../packages/redteam/src/index.ts';
import { createScanner, type Finding, INGEST_RULES, SEVERITIES, type Severity, scanDensity } from '../packages/stores/src/index.ts';

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string', default: process.env.BEZOAR_SHARED ?? '../shared' },
    seed: { type: 'string', default: '1' },
    poisons: { type: 'string', default: '5' },
  },
});
const DATASETS = ['hotpotqa', 'ramdocs', 'realtimeqa', 'simpleqa'];
const ATTACKS = [
  'misinformation',
  'poisonedrag',
  'query-as-poison',
  'query-as-poison?position=suffix',
  'prompt-injection',
  'corruptrag-as',
];
const seed = Number(options.seed);
const count = Number(options.poisons);
const encoder = await loadStaticEncoder();

/** Findings by passage id. */
type Found = ReadonlyMap<string, readonly Finding[]>;

async function scan(
  passages: readonly Passage[],
  settings: { questions?: readonly string[]; trusted?: readonly Passage[] } = {},
): Promise<Found> {
  const scanner = createScanner({ density: scanDensity(encoder), ...(settings.questions ? { questions: settings.questions } : {}) });
  scanner.trust(settings.trusted ?? []);
  const { vectors } = await encoder.encode(
    passages.map((passage) => passageText(passage)),
    { role: 'passage' },
  );
  const found = new Map<string, Finding[]>();
  const add = (finding: Finding): void => void found.set(finding.passageId, [...(found.get(finding.passageId) ?? []), finding]);
  scanner
    .scan(passages.map((passage, index) => ({ passage, vector: vectors[index]!, trusted: false })))
    .flat()
    .forEach(add);
  for (const finding of scanner.finish()) add(finding);
  return found;
}

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** How many of the passages a rule (null for any) flags at or above a severity. */
const flagged = (found: Found, passages: readonly Passage[], ruleId: string | null, least: Severity): number =>
  passages.filter(({ id }) =>
    (found.get(id) ?? []).some((finding) => (ruleId === null || finding.ruleId === ruleId) && rank(finding.severity) >= rank(least)),
  ).length;

function rate(part: number, of: number): string {
  const interval = wilsonInterval(part, of);
  if (interval === null) return '-';
  const percent = (value: number): string => (100 * value).toFixed(1);
  return `${percent(interval.value)} % (${percent(interval.low)}-${percent(interval.high)})`;
}

const row = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
const head = (cells: readonly string[]): void => {
  row(cells);
  console.log(`|${cells.map(() => '---|').join('')}`);
};

interface Loaded {
  readonly name: string;
  readonly clean: readonly Passage[];
  readonly questions: readonly string[];
  readonly wrong: readonly Passage[];
  readonly planted: ReadonlyMap<string, readonly Passage[]>;
}

async function load(name: string): Promise<Loaded> {
  const dataset = await openDataset(join(options.shared, 'data', name));
  const clean = await dataset.passages(Array.from({ length: dataset.passageCount }, (_, place) => place));
  const { targets } = targetsOf(dataset, seed);
  const planted = new Map<string, Passage[]>();
  for (const spec of ATTACKS) {
    const attack = attackFromSpec(spec);
    const passages: Passage[] = [];
    for (const query of dataset.queries) {
      const crafted = await attack.craft(targets.get(query.id)!, {
        seed,
        count,
        allowFewer: true,
        drawPassages: (wanted) => drawIrrelevant(dataset, query, wanted, seed),
        encoder,
        signal: null,
      });
      if (typeof crafted !== 'string') passages.push(...plantPoison(crafted, { queryId: query.id, attack: attack.spec, seed }).passages);
    }
    planted.set(spec, passages);
  }
  const wrong = dataset.queries.flatMap(({ id, wrongTexts }) =>
    wrongTexts.map((text, index): Passage => ({ id: `wrong ${id} ${index}`, text })),
  );
  await dataset.close();
  return { name, clean, questions: dataset.queries.map(({ text }) => text), wrong, planted };
}

const data = await Promise.all(DATASETS.map(load));
const rules = [...INGEST_RULES.map(({ id }) => id), null];

console.log(
  `Seed ${seed}, up to ${count} poisons a question.\n\nClean passages flagged, at any severity / at medium or above / at high:\n`,
);
head(['rule', ...DATASETS, 'all']);
const cleanFound = await Promise.all(data.map(({ clean }) => scan(clean)));
for (const rule of rules) {
  const cells = [...DATASETS.keys(), -1].map((which) => {
    const of = which < 0 ? data.reduce((sum, { clean }) => sum + clean.length, 0) : data[which]!.clean.length;
    return SEVERITIES.map((least) => {
      const part = data.reduce(
        (sum, { clean }, index) => (which < 0 || which === index ? sum + flagged(cleanFound[index]!, clean, rule, least) : sum),
        0,
      );
      return which < 0 ? rate(part, of) : ((100 * part) / of).toFixed(1);
    }).join(' / ');
  });
  row([rule === null ? 'any rule' : `\`${rule}\``, ...cells]);
}

for (const known of [false, true]) {
  for (const least of ['low', 'medium', 'high'] as const) {
    if (known && least !== 'high') continue;
    console.log(`\nPlanted passages found${known ? ', the questions known to the scan' : ''}, at ${least} or above, all datasets:\n`);
    head(['rule', ...ATTACKS.map((attack) => `\`${attack}\``), ...(known ? ['clean'] : [])]);
    const found = await Promise.all(
      ATTACKS.map((attack) =>
        Promise.all(
          data.map(async ({ clean, questions, planted }) => scan([...clean, ...planted.get(attack)!], known ? { questions } : {})),
        ),
      ),
    );
    for (const rule of rules) {
      const cells = ATTACKS.map((attack, column) => {
        const of = data.reduce((sum, { planted }) => sum + planted.get(attack)!.length, 0);
        return rate(
          data.reduce((sum, { planted }, index) => sum + flagged(found[column]![index]!, planted.get(attack)!, rule, least), 0),
          of,
        );
      });
      const clean = data.reduce((sum, { clean: passages }, index) => sum + flagged(found[0]![index]!, passages, rule, least), 0);
      const all = data.reduce((sum, { clean: passages }) => sum + passages.length, 0);
      row([rule === null ? 'any rule' : `\`${rule}\``, ...cells, ...(known ? [rate(clean, all)] : [])]);
    }
  }
}

console.log('\n`contradicts-trusted`: every other clean passage is trusted; flagged of the others, and of the wrong texts:\n');
head(['', ...DATASETS]);
const judged = await Promise.all(
  data.map(async ({ clean, wrong }) => {
    const trusted = clean.filter((_, index) => index % 2 === 0);
    const others = clean.filter((_, index) => index % 2 === 1);
    const all = await scan(wrong, { trusted: clean });
    const half = await scan(others, { trusted });
    return {
      others: rate(flagged(half, others, 'contradicts-trusted', 'high'), others.length),
      wrong: rate(flagged(all, wrong, 'contradicts-trusted', 'high'), wrong.length),
    };
  }),
);
row(['other clean passages', ...judged.map(({ others }) => others)]);
row(['wrong texts, all clean passages trusted', ...judged.map(({ wrong }) => wrong)]);
