/**
 * `npx tsx scripts/check-large-corpus.ts [PASSAGES]`: makes a BEIR folder of a million passages in a temporary folder, opens it in a process
 * that may use 512 MB of heap, reads some passages and streams all, and prints the peak memory and the times. Removes the folder again.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { openDataset } from '../packages/bench/src/dataset/open-dataset.ts';
import { createRandom } from '../packages/core/src/kernels/random.ts';

const HEAP_MB = 512;
const QUERIES = 1000;
/** As long as the passages of Natural Questions in BEIR. */
const WORDS = 76;

const [first, second] = process.argv.slice(2);
if (first === '--open') await open(second!);
else await check(Number(first ?? 1_000_000));

async function check(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bezoar-large-'));
  try {
    await make(folder, count);
    const { size } = await stat(join(folder, 'corpus.jsonl'));
    process.stdout.write(`${count} passages, corpus.jsonl of ${(size / 1e6).toFixed(0)} MB, --max-old-space-size=${HEAP_MB}\n`);
    const { status } = spawnSync(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', fileURLToPath(import.meta.url), '--open', folder],
      { stdio: 'inherit' },
    );
    process.exitCode = status ?? 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function make(folder: string, count: number): Promise<void> {
  const random = createRandom(1);
  const words = Array.from({ length: 5000 }, (_, index) => `word${index.toString(36)}`);
  const text = (): string => Array.from({ length: WORDS }, () => words[random.integer(words.length)]).join(' ');
  function* corpus(): Generator<string> {
    for (let place = 0; place < count; place++)
      yield `${JSON.stringify({ _id: `doc${place}`, title: `Title ${place}`, text: text(), metadata: {} })}\n`;
  }
  await pipeline(Readable.from(corpus()), createWriteStream(join(folder, 'corpus.jsonl')));
  const queries = Array.from({ length: QUERIES }, (_, index) => JSON.stringify({ _id: `q${index}`, text: `Who wrote ${index}?` }));
  await writeFile(join(folder, 'queries.jsonl'), queries.join('\n'));
  await mkdir(join(folder, 'qrels'));
  const qrels = Array.from({ length: QUERIES }, (_, index) => `q${index}\tdoc${random.integer(count)}\t1`);
  await writeFile(join(folder, 'qrels', 'test.tsv'), `query-id\tcorpus-id\tscore\n${qrels.join('\n')}\n`);
}

async function open(folder: string): Promise<void> {
  let started = performance.now();
  let heap = 0;
  const step = (said: string): void => {
    heap = Math.max(heap, process.memoryUsage().heapUsed);
    process.stdout.write(`${said}: ${((performance.now() - started) / 1000).toFixed(2)} s\n`);
    started = performance.now();
  };
  const dataset = await openDataset(folder, {
    progress: () => {
      heap = Math.max(heap, process.memoryUsage().heapUsed);
    },
  });
  step(`opened, ${dataset.passageCount} passages, ${dataset.queries.length} questions`);
  const random = createRandom(2);
  const places = Array.from({ length: 1000 }, () => random.integer(dataset.passageCount));
  const read = await dataset.passages(places);
  if (read.some(({ id }, index) => id !== `doc${places[index]}`)) throw new Error('a passage is not the one asked for');
  step('1,000 passages read in random order');
  let streamed = 0;
  for await (const { passages } of dataset.batches(1000)) streamed += passages.length;
  if (streamed !== dataset.passageCount) throw new Error(`streamed ${streamed} passages of ${dataset.passageCount}`);
  step('all streamed');
  await dataset.close();
  process.stdout.write(
    `largest heap ${(heap / 1e6).toFixed(0)} MB, peak of the process ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB\n`,
  );
}
