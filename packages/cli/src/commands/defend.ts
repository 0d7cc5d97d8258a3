import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  BezoarError,
  closestName,
  DEFENSES,
  type Defended,
  defend,
  definePolicy,
  type ErrorCode,
  POLICIES,
  type Policy,
  type PolicyFile,
  type PolicySettings,
  policyFromSpecs,
  type Retrieval,
} from '@bezoar/core';
import { jsonLine } from '../json-line.ts';
import { makeModels } from '../make-models.ts';
import { READING, readJsonLines } from '../read-json-lines.ts';
import { findPolicyFile, readPolicy } from '../read-policy.ts';
import { readRetrieval } from '../read-retrieval.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface DefendOptions extends CommonOptions {
  readonly defense?: readonly string[];
  readonly policy?: string;
  readonly keep?: number;
  readonly passageText?: PolicySettings['passageText'];
  readonly encoder?: string;
  readonly calibration?: string;
  readonly likelihood?: string;
  readonly corpus?: string;
  readonly in: string;
  readonly out: string;
}

/** What a stage may find wrong with one line that its reader cannot know, e.g. more passages than it compares. */
const OF_THE_LINE: ReadonlySet<string> = new Set<ErrorCode>(['SHAPE_MISMATCH', 'TOO_LARGE']);

/** Runs a policy over every line of the input. A file, which can be read twice, is checked whole before its first line is judged. */
export async function defendCommand(options: DefendOptions, terminal: Terminal, log: Log): Promise<number> {
  const { policy, encoder, openai } = await choosePolicy(options, terminal, log);
  const models = await makeModels(policy, encoder ?? 'static', terminal, {
    openai,
    ...(options.calibration ? { calibration: options.calibration } : {}),
    ...(options.corpus ? { corpus: options.corpus } : {}),
    ...(options.likelihood ? { likelihood: options.likelihood } : {}),
  });
  if (options.encoder !== undefined && models.encoder === null)
    log('warn', `--encoder ${options.encoder} is not used: no stage of the policy asks for embeddings`);
  if (options.in === '-' && terminal.interactiveInput) log('info', READING);
  if (await isFile(options.in, terminal)) for await (const line of readJsonLines(options.in, terminal)) readRetrieval(line);
  let degraded = 0;
  const count = await withOutput(options.out, terminal, async ({ write }) => {
    let done = 0;
    for await (const line of readJsonLines(options.in, terminal)) {
      const retrieval = readRetrieval(line);
      const defended = await defend(retrieval, policy, models).catch((error: unknown) => {
        throw BezoarError.is(error) && OF_THE_LINE.has(error.code)
          ? new BezoarError(error.code, `${line.at}: ${error.message}`, { cause: error, details: error.details })
          : error;
      });
      if (defended.degraded) degraded += 1;
      done += 1;
      if (!(await write(jsonLine(record(retrieval, defended), line.at)))) break;
    }
    if (done === 0)
      throw new BezoarError(
        'BAD_INPUT',
        `${options.in === '-' ? 'standard input' : options.in} holds no retrieval; write one object a line (bezoar defend --help shows its form)`,
      );
    return done;
  });
  if (degraded > 0)
    log('warn', `${degraded} of ${count} results are degraded: a stage failed or overran its budget; stages[].error says why`);
  return EXIT.done;
}

/** Not standard input, nor a pipe that has a name (`<(...)`, `/dev/stdin`): what is read of those is gone. */
async function isFile(path: string, terminal: Terminal): Promise<boolean> {
  if (path === '-') return false;
  return (await stat(resolve(terminal.cwd, path)).catch(() => null))?.isFile() ?? false;
}

async function choosePolicy(options: DefendOptions, terminal: Terminal, log: Log): Promise<PolicyFile> {
  const overrides: Partial<PolicySettings> = {
    ...(options.keep === undefined ? {} : { keep: options.keep }),
    ...(options.passageText === undefined ? {} : { passageText: options.passageText }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  };
  if (options.defense && options.policy)
    throw new BezoarError('INVALID_OPTION', '--defense and --policy are both given; put the stages into the policy file, or leave one out');
  if (options.defense) return { policy: policyFromSpecs(options.defense, overrides), encoder: options.encoder ?? null, openai: null };
  if (options.policy !== undefined && Object.hasOwn(POLICIES, options.policy)) {
    return { policy: policyFromSpecs([options.policy], overrides), encoder: options.encoder ?? null, openai: null };
  }
  const path = options.policy ?? findPolicyFile(terminal);
  if (path === null) return { policy: policyFromSpecs(['standard'], overrides), encoder: options.encoder ?? null, openai: null };
  if (options.policy === undefined) log('info', `policy from ${path}`);
  const file = await readPolicy(path, terminal).catch((error: unknown) => {
    throw BezoarError.is(error, 'NOT_FOUND') ? noPolicy(error, path) : error;
  });
  const policy: Policy = definePolicy({ ...file.policy, ...overrides });
  return { ...file, policy, encoder: options.encoder ?? file.encoder };
}

/** Where there is no such file, a name may have been meant. */
function noPolicy(error: BezoarError, name: string): BezoarError {
  const near = closestName(name, Object.keys(POLICIES));
  const remedy = Object.hasOwn(DEFENSES, name.split('?')[0]!)
    ? `it is a defense: --defense ${name}`
    : near === null
      ? null
      : `did you mean the policy ${near}?`;
  return remedy === null
    ? error
    : new BezoarError('NOT_FOUND', `there is no policy file ${name}; ${remedy}`, { cause: error, details: error.details });
}

/** One line of output. `rewritten` is there only when a stage changed a text: the texts to use in place of the originals. */
function record(retrieval: Retrieval, defended: Defended): object {
  const given = new Map(retrieval.passages.map((passage) => [passage.id, passage]));
  const changed = defended.passages.filter(({ id, text, title }) => text !== given.get(id)!.text || title !== given.get(id)!.title);
  return {
    queryId: defended.query.id,
    kept: defended.passages.map((passage) => passage.id),
    verdicts: defended.verdicts,
    stages: defended.stages,
    certificate: defended.certificate,
    degraded: defended.degraded,
    ...(changed.length === 0
      ? {}
      : { rewritten: changed.map(({ id, text, title }) => ({ id, text, ...(title === undefined ? {} : { title }) })) }),
  };
}
