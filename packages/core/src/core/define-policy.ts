import { BezoarError } from '../errors.ts';
import type { Defense, PaperSource } from '../types.ts';
import { type OptionValues, option, readOptions } from './options.ts';

/** The settings of a policy beside its stages, as they stand in a policy file. */
export const policyOptions = {
  keep: option.number(5, 'How many passages a reranker without its own keep lets go on.', { min: 1, max: 10_000, integer: true }),
  budgetMs: option.nullable(option.number(1000, 'Wall time for all stages together, in milliseconds.', { min: 0 }), 'none'),
  onError: option.choice(
    ['pass', 'refuse', 'degrade'],
    'degrade',
    'When a stage fails or overruns the budget: pass lets all passages through as retrieved, refuse lets none through, degrade skips that stage.',
  ),
  mode: option.choice(
    ['enforce', 'monitor'],
    'enforce',
    'monitor runs every stage and records every verdict, and lets all passages through.',
  ),
  passageText: option.choice(
    ['title-and-text', 'text'],
    'title-and-text',
    'Whether the title, where there is one, belongs to the text that is judged.',
  ),
  unscorable: option.choice(['drop', 'keep-last'], 'drop', 'What becomes of a passage whose embedding is missing, not finite or zero.'),
  seed: option.number(0, 'Seeds every random choice.', { min: 0, max: 0xffffffff, integer: true }),
};

export type PolicySettings = OptionValues<typeof policyOptions>;

/** Ordered stages and what to do around them. Immutable. */
export interface Policy extends PolicySettings {
  readonly name: string;
  readonly description: string;
  /** For a recipe, the paper whose settings these are. */
  readonly source: PaperSource | null;
  readonly stages: readonly Defense[];
}

export interface PolicyDefinition extends Partial<PolicySettings> {
  readonly name?: string;
  readonly description?: string;
  readonly source?: PaperSource | null;
  readonly stages: readonly Defense[];
}

/** Checks the settings, fills in the defaults and freezes the result. No stages is allowed: everything goes on, cut to nothing. */
export function definePolicy(definition: PolicyDefinition): Policy {
  const { name = 'custom', description = '', source = null, stages, ...settings } = definition;
  if (!Array.isArray(stages))
    throw new BezoarError('BAD_CONFIG', `policy ${name}: stages is missing; give a list of defenses`, { details: { field: 'stages' } });
  for (const [index, stage] of stages.entries()) {
    if (typeof stage?.run === 'function') continue;
    throw new BezoarError('BAD_CONFIG', `policy ${name}: stages[${index}] is no defense; call the defense's function, as in grada()`, {
      details: { field: `stages[${index}]` },
    });
  }
  return Object.freeze({
    name,
    description,
    source,
    stages: Object.freeze([...stages]),
    ...readOptions(policyOptions, settings, `policy ${name}`),
  });
}
