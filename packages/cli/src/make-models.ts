import { BezoarError, type Encoder, type Policy, type PolicyFile } from '@bezoar/core';
import type { Terminal } from './terminal.ts';

export interface ModelSettings {
  readonly openai?: PolicyFile['openai'];
  readonly cacheDir?: string;
}

/** Makes the encoder of a SPEC; address and key of an OpenAI-compatible endpoint come from the policy file, else from the environment. */
export async function makeEncoder(spec: string, terminal: Terminal, settings: ModelSettings = {}): Promise<Encoder> {
  const { resolveEncoder } = await import('@bezoar/models');
  const baseUrl = settings.openai?.baseUrl ?? terminal.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
  const apiKey = settings.openai?.apiKey ?? terminal.env.OPENAI_API_KEY;
  return resolveEncoder(spec, {
    openai: { baseUrl, ...(apiKey ? { apiKey } : {}) },
    ...(settings.cacheDir ? { cacheDir: settings.cacheDir } : {}),
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
  const likelihood = needs.has('likelihood') ? await (await import('@bezoar/models')).loadNgramLikelihood() : null;
  return { encoder, likelihood, resolveEncoder };
}
