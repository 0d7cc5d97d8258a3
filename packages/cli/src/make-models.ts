import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import { BezoarError, bm25Corpus, type Encoder, type LikelihoodModel, type Policy, type PolicyFile, passageText } from '@bezoar/core';
import { readCorpus } from './read-corpus.ts';
import type { Terminal } from './terminal.ts';

export interface ModelSettings {
  readonly openai?: PolicyFile['openai'];
  readonly cacheDir?: string;
  /** Files of `bezoar calibrate`. */
  readonly calibration?: string;
  readonly likelihood?: string;
  /** A corpus whose word statistics `grada?statistics=corpus` takes. */
  readonly corpus?: string;
}

/** Makes the encoder of a SPEC; address and key of an OpenAI-compatible endpoint come from the policy file, else from the environment. */
export async function makeEncoder(spec: string, terminal: Terminal, settings: ModelSettings = {}): Promise<Encoder> {
  const { resolveEncoder } = await import('@bezoar/models');
  const own = settings.openai?.baseUrl;
  const baseUrl = own ?? (terminal.env.OPENAI_BASE_URL || 'https://api.openai.com/v1');
  // The environment's key goes to the environment's address only: a policy file must not be able to send it elsewhere unasked.
  const apiKey = settings.openai?.apiKey ?? (own === undefined ? terminal.env.OPENAI_API_KEY : undefined);
  return resolveEncoder(spec, {
    openai: { baseUrl, ...(apiKey ? { apiKey } : {}) },
    ...(settings.cacheDir ? { cacheDir: resolve(terminal.cwd, settings.cacheDir) } : {}),
    ...(settings.calibration ? { calibrationFile: resolve(terminal.cwd, settings.calibration) } : {}),
  });
}

/** The models that a policy's stages ask for, and no others: nothing is loaded that no stage needs. */
export async function makeModels(policy: Policy, encoderSpec: string, terminal: Terminal, settings: ModelSettings = {}) {
  const needs = new Set(policy.stages.flatMap((stage) => stage.needs));
  const made = new Map<string, Promise<Encoder>>();
  const resolveEncoder = (spec: string): Promise<Encoder> => {
    const encoder = made.get(spec) ?? makeEncoder(spec, terminal, settings);
    made.set(spec, encoder);
    return encoder;
  };
  if (needs.has('cross-encoder')) {
    throw new BezoarError(
      'NEEDS_CROSS_ENCODER',
      'the command line has no cross-encoder; similarity=cross-encoder works in the library, with one passed as crossEncoder',
    );
  }
  const encoder = needs.has('embeddings') || needs.has('query-embedding') ? await resolveEncoder(encoderSpec) : null;
  const likelihood = needs.has('likelihood') ? await makeLikelihood(settings.likelihood, terminal) : null;
  const statistics = settings.corpus
    ? bm25Corpus(
        Array.from((await readCorpus(settings.corpus, terminal)).passages.values(), (passage) => passageText(passage, policy.passageText)),
      )
    : null;
  return { encoder, likelihood, bm25Corpus: statistics, resolveEncoder };
}

async function makeLikelihood(file: string | undefined, terminal: Terminal): Promise<LikelihoodModel> {
  const { loadNgramLikelihood } = await import('@bezoar/models');
  if (file === undefined) return loadNgramLikelihood();
  const bytes = await readFile(resolve(terminal.cwd, file)).catch((error: unknown) => {
    throw fileFault(error, file);
  });
  return loadNgramLikelihood({ bytes });
}
