// Not the whole of core: help must come at once.

import { printable } from '@bezoar/bench/layout';
import { BezoarError } from '@bezoar/core/errors';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { paint, type Terminal } from './terminal.ts';

/** Exit codes that other tools depend on. */
export const EXIT = { done: 0, limitExceeded: 1, unusable: 2 } as const;

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface CommonOptions {
  readonly seed?: number;
  readonly quiet?: boolean;
  readonly logLevel: LogLevel;
}

/** A line on the other stream, when the user wants that much. */
export type Log = (level: Exclude<LogLevel, 'silent'>, message: string) => void;

function logger(terminal: Terminal, options: CommonOptions): Log {
  const wanted = LOG_LEVELS.indexOf(options.quiet ? 'error' : options.logLevel);
  return (level, message) => {
    if (LOG_LEVELS.indexOf(level) <= wanted) terminal.writeError(`bezoar: ${printable(message)}\n`);
  };
}

function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}.`);
    return number;
  };
}

function share(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0 && number < 1)) throw new InvalidArgumentError('Expected a number between 0 and 1.');
  return number;
}

/** Values given one by one or with commas between them. */
const list = (value: string, before: readonly string[] = []): string[] => [...before, ...value.split(',').filter((part) => part !== '')];

const numbers = (value: string, before: readonly number[] = []): number[] => [
  ...before,
  ...list(value).map((part) => {
    const number = Number(part);
    if (part.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected numbers, with commas between them.');
    return number;
  }),
];

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Runs one command line and says which exit code it ends with. Whatever goes wrong is one sentence on the other stream, and code 2. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let exit: number = EXIT.done;
  let written: Promise<unknown> = Promise.resolve();
  const program = new Command('bezoar')
    .description('Keeps poisoned passages out of Retrieval-Augmented Generation.')
    .version('0.1.0', '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    // Names alone: with their arguments the longest would leave no room for what the others are.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(bezoar --help lists the commands, bezoar COMMAND --help its options)')
    .configureOutput({
      writeOut: (text) => {
        written = terminal.write(text);
      },
      writeErr: (text) => terminal.writeError(text),
      // What the user wrote is repeated on one line; the line after it, where there is one, is commander's own.
      outputError: (text, write) => {
        const [, said = text, near = ''] = /^error: (.*?)(\n\(Did you mean [^\n]+\?\))?\n$/s.exec(text) ?? [];
        write(`bezoar: ${printable(said)}${near}\n`);
      },
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
      getOutHasColors: () => terminal.colour,
      getErrHasColors: () => false,
    });
  /** Adds a command with the options every command has; its action gets the parsed options and a log. */
  const add = (
    name: string,
    summary: string,
    configure: (command: Command) => Command,
    act: (args: string[], options: never, log: Log) => Promise<number>,
  ): void => {
    const command = configure(program.command(name).description(summary))
      .option('--seed <n>', 'seed of every random choice', wholeNumber(0, 0xffffffff))
      .option('-q, --quiet', 'print nothing but results and errors')
      .addOption(new Option('--log-level <level>', 'how much to say on the other stream').choices(LOG_LEVELS).default('info'))
      .exitOverride()
      .helpOption('-h, --help', 'print help');
    command.action(async (...given: unknown[]) => {
      const options = command.opts() as CommonOptions;
      exit = await act(given.slice(0, -2) as string[], options as never, logger(terminal, options));
    });
  };

  add(
    'demo',
    'the first minute: poison a corpus, watch an unguarded pipeline swallow it, watch the guard catch it',
    (command) => command.option('--question <n>', 'which question to show', wholeNumber(1), 3),
    async (_, options, log) => (await import('./commands/demo.ts')).demo(options, terminal, log),
  );
  add(
    'defend',
    'guard retrieved passages: JSON lines in, JSON lines with verdicts out',
    (command) =>
      command
        .option('-d, --defense <spec>', "a stage, e.g. 'grada?weights=bm25'; repeat for more, in order", collect)
        .option('-p, --policy <file>', 'a policy file, or the name of a policy or recipe')
        .option('-k, --keep <n>', "how many passages a reranker lets go on (default: 5, or the policy's)", wholeNumber(1, 10_000))
        .addOption(
          new Option('--passage-text <what>', "what of a passage is judged (default: title-and-text, or the policy's)").choices([
            'title-and-text',
            'text',
          ]),
        )
        .option('-e, --encoder <spec>', 'makes embeddings where the input has none: static, onnx:DIR, openai:MODEL')
        .option('--calibration <file>', 'thresholds for the encoder, from bezoar calibrate (default: those beside it)')
        .option('--likelihood <file>', 'an n-gram model from bezoar calibrate --ngram (default: the built-in English one)')
        .option('--corpus <path>', 'word statistics for grada?statistics=corpus: a BEIR folder or JSON lines of passages')
        .option('-i, --in <file>', 'where to read, - for standard input', '-')
        .option('-o, --out <file>', 'where to write, - for standard output', '-')
        .addHelpText(
          'after',
          `
Input, a line each:
  {"query": {"id", "text", "embedding"?},
   "passages": [{"id", "text", "title"?, "relevance"?, "embedding"?}]}
Output, a line each:
  {"queryId", "kept", "verdicts", "stages", "certificate", "degraded"}
Without --defense and --policy: bezoar.config.yaml of this folder,
else the policy standard.`,
        ),
    async (_, options, log) => (await import('./commands/defend.ts')).defendCommand(options, terminal, log),
  );
  add(
    'list',
    'what there is: bezoar list defenses, recipes, policies, attacks, metrics, reports, suites, encoders, reasons or errors; bezoar list defenses grada for the options of one',
    (command) =>
      command
        .argument('[role]', 'defenses, recipes, policies, attacks, metrics, reports, suites, encoders, reasons or errors')
        .argument('[name]', 'one of them, in full')
        .addOption(new Option('--format <format>', 'how to print').choices(['table', 'json']).default('table')),
    async ([role, name], options) => (await import('./commands/list.ts')).list(role, name, options, terminal),
  );
  add(
    'validate',
    'check a policy file; a fault comes with its line and the closest valid key',
    (command) => command.argument('[file]', 'default: the bezoar.config file of this folder'),
    async ([file]) => (await import('./commands/validate.ts')).validate(file, terminal),
  );
  add(
    'encode',
    'add embeddings to passages or retrievals: JSON lines in, JSON lines out',
    (command) =>
      command
        .option('-e, --encoder <spec>', 'static, onnx:DIR or openai:MODEL', 'static')
        .addOption(
          new Option('--passage-text <what>', 'what of a passage is encoded').choices(['title-and-text', 'text']).default('title-and-text'),
        )
        .option('--cache <dir>', 'remember embeddings in this folder')
        .option('-i, --in <file>', 'where to read, - for standard input', '-')
        .option('-o, --out <file>', 'where to write, - for standard output', '-'),
    async (_, options, log) => (await import('./commands/encode.ts')).encode(options, terminal, log),
  );
  add(
    'calibrate',
    'measure an encoder (or an n-gram model) on your clean corpus and store the thresholds beside it',
    (command) =>
      command
        .argument('<corpus>', 'a BEIR folder or a JSON-lines file of passages that you trust')
        .option('-e, --encoder <spec>', 'static, onnx:DIR or openai:MODEL', 'static')
        .option('--ngram', 'make an n-gram model for lexical-anomaly instead')
        .option('--pool <n>', 'passages in a pool', wholeNumber(3, 100), 10)
        .option('--quantile <q>', 'share of what is clean that stays below the threshold', share, 0.95)
        .option('-o, --out <file>', 'where to write (default: beside the encoder)'),
    async ([corpus], options, log) => (await import('./commands/calibrate.ts')).calibrate(corpus!, options, terminal, log),
  );

  add(
    'attack',
    'write poisoned passages for a copy of your corpus: JSON lines, and their labels beside them',
    (command) =>
      command
        .requiredOption('-a, --attack <spec>', "what to plant, e.g. 'query-as-poison?position=suffix'")
        .requiredOption('-d, --dataset <dir>', 'a BEIR folder with the questions to attack')
        .option('-e, --encoder <spec>', 'for attacks that need one: static, onnx:DIR, openai:MODEL', 'static')
        .option('--poisons <n>', 'poisoned passages a question', wholeNumber(1, 1000), 1)
        .option('--limit <n>', 'only the first so many questions', wholeNumber(1))
        .requiredOption('-o, --out <file>', 'where to write; labels go to FILE without .jsonl, plus .labels.jsonl'),
    async (_, options, log) => (await import('./commands/attack.ts')).attackDataset(options, terminal, log),
  );
  add(
    'bench',
    'measure defenses against attacks on a BEIR folder: success with and without attack, with intervals and self-checks',
    (command) =>
      command
        .option('-d, --dataset <dir>', 'a BEIR folder; repeat, or separate by commas', list)
        .option('-a, --attack <spec>', 'attacks; none measures without one (default: poisonedrag)', list)
        .option('--defense <spec>', 'defenses, recipes or policies (default: none, standard)', list)
        .option('-e, --encoder <spec>', 'encoders for what compares embeddings (default: static)', list)
        .option('--suite <name>', 'what a paper ran: paper-grada, paper-trustrag, paper-pra-rag, or a file of your own')
        .option('--retriever <name>', 'candidates (default where the dataset has them), dense, lexical or hybrid')
        .option('--pool <n>', 'passages in a pool (default: 10)', wholeNumber(1, 1000))
        .option('-k, --keep <n>', "passages that go on where a reranker decides (default: the policy's, 5)", wholeNumber(1, 1000))
        .option('--poisons <n>', 'poisoned passages a question; with --placement ratio their share (default: 1)', numbers)
        .option('--placement <name>', 'retrieval (they compete), slot, slot-middle, slot-last or ratio (default: retrieval)', list)
        .option('--passage-text <what>', "title-and-text or text (default: the policy's, title-and-text)")
        .option('--short-pools', 'assess questions with fewer passages or wrong texts than asked for')
        .option('--keep-duplicates', 'count candidates with the same text each')
        .option('--isolated', "plant only a question's own poison, not that of all questions together")
        .option('--limit <n>', 'only the first so many questions', wholeNumber(1))
        .option('--repeats <n>', 'over so many seeds: mean and deviation', wholeNumber(1, 1000))
        .option('--sweep <name=a,b,c>', 'once with each value of a setting or an option; repeat for combinations', collect)
        .option('--diagnose', 'add how alike clean and poisoned passages are, for the plots of the HTML report')
        .option('--workers <n>', 'threads (default: one a core)', wholeNumber(1, 256))
        .option('--cache <dir>', 'where embeddings and retrieved lists are kept (default: bezoar in the cache folder of the user)')
        .option('--no-cache', 'keep none')
        .option('--trec <dir>', 'also write rankings and judgements for trec_eval')
        .option('-f, --format <format>', 'table, json, jsonl, csv, markdown or html (default: by --out, else table)')
        .option('-o, --out <file>', 'where to write, - for standard output; a run that was killed resumes from FILE.partial', '-')
        .addHelpText(
          'after',
          `
A dataset is a BEIR folder: corpus.jsonl, queries.jsonl and qrels/*.tsv, with
candidates.jsonl and misinformation.jsonl where there are any. A SPEC is
name?option=value&option=value; commas separate alternatives.`,
        ),
    async (_, options, log) => (await import('./commands/bench.ts')).bench(options, terminal, log),
  );
  add(
    'report',
    'write a saved result in another form: a table, a page, a spreadsheet',
    (command) =>
      command
        .argument('<results>', 'what bezoar bench wrote with --format json or jsonl')
        .option('-f, --format <format>', 'table, json, jsonl, csv, markdown or html (default: by --out, else table)')
        .option('-o, --out <file>', 'where to write, - for standard output', '-'),
    async ([results], options) => (await import('./commands/report.ts')).report(results!, options, terminal),
  );
  add(
    'compare',
    'what changed between two results, or between the defenses of one, and whether it is significant',
    (command) =>
      command
        .argument('<before>', 'a result of bezoar bench (json or jsonl)')
        .argument('[after]', 'another; without it the defenses of the first are compared with a baseline')
        .option('--baseline <spec>', 'the defense that the others are compared with (default: none)')
        .option('--metric <name>', 'metrics (default: poisonInContext, successRate, cleanSuccessRate, cleanRetention)', list)
        .addOption(
          new Option('-f, --format <format>', 'how to print (default: by --out, else table)').choices(['table', 'json', 'markdown']),
        )
        .option('-o, --out <file>', 'where to write, - for standard output', '-')
        .addHelpText(
          'after',
          `
Every metric named is another test, and makes all of them harder to pass.`,
        ),
    async ([before, after], options) => (await import('./commands/compare.ts')).compare(before!, after, options, terminal),
  );
  add(
    'import',
    "make a dataset of a BEIR download, or of PoisonedRAG's targets and the corpus they were made for",
    (command) =>
      command
        .addArgument(new Argument('<format>', 'what it is').choices(['beir', 'poisonedrag']))
        .argument('<source>', 'a BEIR folder, or a target file: JSON as released, or JSON lines')
        .requiredOption('-o, --out <folder>', 'the folder to make; it must not exist')
        .option('--split <name>', 'whose questions and qrels are taken, e.g. dev for qrels/dev.tsv (default: test)')
        .option('--limit <n>', 'only the first so many questions', wholeNumber(1))
        .option('--corpus <folder>', 'poisonedrag: the BEIR folder that the targets were made for')
        .option('--passages <n>', 'poisonedrag: keep the gold passages and so many others, drawn with --seed', wholeNumber(0)),
    async ([format, source], options, log) =>
      (await import('./commands/import.ts')).importDataset(format as 'beir' | 'poisonedrag', source!, options, terminal, log),
  );
  add(
    'theory',
    'for which settings the robustness condition of a paper holds; descriptive, never a certificate',
    (command) =>
      command
        .addArgument(new Argument('<mechanism>', 'whose').choices(['ragpart']))
        .option('--fragments <n>', 'fragments a passage (default: the tables of the paper, 3 to 15)', wholeNumber(1, 50))
        .option('--combine <k>', 'fragments a database (default: 1 to all of them)', wholeNumber(1, 50))
        .option('--poisoned <n>', 'poisoned fragments of an adversarial document (default: 2 and 3, or 1 to all)', wholeNumber(1, 50))
        .option('--adversarial <n>', 'adversarial documents', wholeNumber(1, 1000), 1)
        .addOption(new Option('-f, --format <format>', 'how to print').choices(['table', 'json']).default('table')),
    async (_, options) => (await import('./commands/theory.ts')).theory(options, terminal),
  );
  add(
    'index',
    'bring a corpus into a store through the ingest gate: what looks planted is quarantined',
    (command) =>
      command
        .argument('<corpus>', 'a BEIR folder or a JSON-lines file of passages')
        .requiredOption(
          '-s, --store <url>',
          'pglite:DIR, postgres://..., lancedb:DIR, memory:FILE, qdrant+http://..., elasticsearch+http://...',
        )
        .option('-e, --encoder <spec>', 'static, onnx:DIR or openai:MODEL', 'static')
        .option('-d, --defense <spec>', 'ragpart, ragmask or naive-combination, to ask for later with query; repeat for more', collect)
        .option('--trusted <source>', 'a source that others are compared with; repeat for more', collect)
        .option('--questions <file>', 'JSON lines with the questions that an attacker may aim at, e.g. queries.jsonl')
        .option('--run <id>', 'names this ingest; the same resumes it (default: made of the path of the corpus)')
        .addOption(
          new Option('--passage-text <what>', 'what of a passage is encoded').choices(['title-and-text', 'text']).default('title-and-text'),
        )
        .addOption(new Option('-f, --format <format>', 'how to print').choices(['table', 'json']).default('table')),
    async ([corpus], options, log) => (await import('./commands/index.ts')).indexCorpus(corpus!, options, terminal, log),
  );
  add(
    'query',
    'search a store by words and vectors together, or as an index defense does',
    (command) =>
      command
        .argument('<text>', 'the question')
        .requiredOption('-s, --store <url>', 'what bezoar index made')
        .option('-k, --k <n>', 'how many passages', wholeNumber(1, 500), 5)
        .option('-d, --defense <spec>', 'one that retrieves itself (ragpart, ...), and others over what was found, in order', collect)
        .option('-e, --encoder <spec>', 'default: that of the store')
        .option('--exact', 'look at every passage')
        .addOption(new Option('-f, --format <format>', 'how to print').choices(['table', 'json']).default('table')),
    async ([text], options, log) => (await import('./commands/query.ts')).query(text!, options, terminal, log),
  );
  add(
    'scan',
    'find what looks planted in a corpus or a store; ends with code 1 at --fail-on',
    (command) =>
      command
        .argument('[corpus]', 'a BEIR folder or a JSON-lines file of passages')
        .option('-s, --store <url>', 'scan a store instead')
        .option('-e, --encoder <spec>', 'for rules about vectors: static, onnx:DIR, openai:MODEL or none', 'static')
        .option('--questions <file>', 'JSON lines with the questions that an attacker may aim at, e.g. queries.jsonl')
        .option('--trusted <source>', 'a source that others are compared with; repeat for more', collect)
        .option('--quarantine', 'with --store: hold back what is found at high')
        .addOption(new Option('--fail-on <severity>', 'end with code 1 at or above').choices(['low', 'medium', 'high']))
        .addOption(new Option('-f, --format <format>', 'how to print').choices(['table', 'json', 'sarif']).default('table'))
        .option('-o, --out <file>', 'where to write, - for standard output', '-'),
    async ([corpus], options, log) => (await import('./commands/scan.ts')).scan(corpus, options, terminal, log),
  );
  add(
    'quarantine',
    'review what the ingest gate holds back',
    (command) =>
      command
        .addArgument(new Argument('<action>', 'what to do').choices(['list', 'show', 'approve', 'reject']))
        .argument('[ids...]', 'passages')
        .requiredOption('-s, --store <url>', 'what bezoar index made')
        .addOption(new Option('-f, --format <format>', 'how to print').choices(['table', 'json']).default('table')),
    async ([action, ids], options, log) =>
      (await import('./commands/quarantine.ts')).quarantine(
        action as 'list' | 'show' | 'approve' | 'reject',
        (ids as unknown as readonly string[] | undefined) ?? [],
        options,
        terminal,
        log,
      ),
  );

  try {
    await program.parseAsync([...args], { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) throw error;
      exit = error.exitCode === 0 ? EXIT.done : EXIT.unusable;
    });
    await written;
    return exit;
  } catch (error) {
    terminal.writeError(`${paint({ colour: terminal.colour && terminal.interactiveError }, 'red', 'bezoar:')} ${sentence(error)}\n`);
    return EXIT.unusable;
  }
}

/** What went wrong, for people; a stack only for faults of ours. Control characters never reach the terminal. */
function sentence(error: unknown): string {
  return BezoarError.is(error)
    ? printable(error.message)
    : printableLines(`an error of Bezoar's own, please report it: ${error instanceof Error ? error.stack : String(error)}`);
}

const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
