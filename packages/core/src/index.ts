export { closestName } from './core/closest-name.ts';
export { createRetrieval, type PassageInput } from './core/create-retrieval.ts';
export { type DefendSettings, defend, explain } from './core/defend.ts';
export {
  type DefenseDefinition,
  type DefenseFactory,
  defineDefense,
  type GivenOptions,
  type Judgement,
  MAX_CHARACTERS,
  MAX_PASSAGES,
  type StageInput,
  type StageOutcome,
} from './core/define-defense.ts';
export { definePolicy, type Policy, type PolicyDefinition, type PolicySettings, policyOptions } from './core/define-policy.ts';
export { type GuardSettings, guardRetriever, type Retrieve } from './core/guard-retriever.ts';
export type * from './core/index-defense.ts';
export { type OptionSpec, type OptionSpecs, type OptionValues, option, readOptions } from './core/options.ts';
export { parseSpec, type Spec } from './core/parse-spec.ts';
export { type PassageText, passageText } from './core/passage-text.ts';
export { type PolicyFile, parsePolicyFile, parseStages, policyFileSchema, policyFromSpecs } from './core/policy-file.ts';
export type { CrossEncoder, EncodedTexts, EncodeOptions, Encoder, EncoderCalibration, LikelihoodModel, TokenSpan } from './core/ports.ts';
export { type Reason, type Reasons, SEAL_REASONS } from './core/reasons.ts';
export { createRunContext, type RunContext, type RunSettings } from './core/run-context.ts';
export type * from './core/store-port.ts';
export { BezoarError, ERROR_CODES, type ErrorCode } from './errors.ts';
export { type Bm25Corpus, bm25Corpus } from './kernels/bm25.ts';
export * from './registry.generated.ts';
export type * from './types.ts';
