import { BezoarError, type OptionSpecs, type OptionValues, type PaperSource, readOptions } from '@bezoar/core';
import { createRandom, type Random } from '@bezoar/core/kernels/random';
import { deriveSeed } from './derive-seed.ts';
import type {
  Attack,
  AttackContext,
  AttackCost,
  AttackNeed,
  AttackTarget,
  CraftedPoison,
  PoisonedText,
  TextSpan,
  Uncraftable,
} from './types.ts';

/** What the author of an attack is given beside the target. `count` is what the target can give where fewer texts will do. */
export interface CraftContext extends AttackContext {
  /** Seeded by the run, the attack's name and the question's id. */
  readonly random: Random;
}

/** What the author returns. */
export interface CraftOutcome {
  /** `count` texts, or fewer where the context ran out of passages. */
  readonly texts: readonly PoisonedText[];
  /** The answer the texts argue for; null for an attack that only wants to be retrieved. */
  readonly targetAnswer: string | null;
  /** Default: no model was called and nothing encoded. */
  readonly cost?: AttackCost;
}

export interface AttackDefinition<S extends OptionSpecs> {
  /** The SPEC name, which is the file's name. */
  readonly name: string;
  /** What it plants, in one sentence. */
  readonly summary: string;
  /** null for an attack of our own. */
  readonly source: PaperSource | null;
  readonly options: S;
  needs(options: OptionValues<S>): readonly AttackNeed[];
  run(
    target: AttackTarget,
    options: OptionValues<S>,
    context: CraftContext,
  ): CraftOutcome | Uncraftable | Promise<CraftOutcome | Uncraftable>;
}

/** Makes an attack with the given options; carries the definition's metadata for lists and docs. */
export interface AttackFactory<S extends OptionSpecs = OptionSpecs> {
  (options?: Partial<OptionValues<S>>): Attack;
  readonly definition: AttackDefinition<S>;
  readonly optionSpecs: OptionSpecs;
}

/** More poisoned texts for one question than a retrieval can hold are refused. */
export const MAX_POISONS = 1000;

const NO_COST: AttackCost = { modelCalls: 0, encodedTexts: 0 };
const UNCRAFTABLE: readonly unknown[] = ['too-few-wrong-texts', 'no-target-answer', 'too-few-passages'] satisfies Uncraftable[];

/**
 * Turns the inside of an attack, written by its author, into a sealed one. The seal says what a target is missing before the author sees
 * it, gives the author a frozen copy without blank wrong texts, checks that as many texts came back as were asked for, none blank, with
 * every span inside its text, and freezes them. Asked for 0 texts it makes none and asks nobody.
 */
export function defineAttack<const S extends OptionSpecs>(definition: AttackDefinition<S>): AttackFactory<S> {
  const create = (given: Partial<OptionValues<S>> = {}): Attack => {
    const options = readOptions(definition.options, given, definition.name);
    const needs = Object.freeze([...definition.needs(options)]);
    return Object.freeze({
      name: definition.name,
      source: definition.source,
      needs,
      spec: specOf(definition.name, definition.options, options),
      craft: (target: AttackTarget, context: AttackContext) => craftSealed(definition, options, needs, target, context),
    });
  };
  return Object.assign(create, { definition, optionSpecs: definition.options });
}

function specOf(name: string, specs: OptionSpecs, values: Readonly<Record<string, unknown>>): string {
  const changed = Object.keys(specs).filter((key) => values[key] !== specs[key]!.default);
  // What would end a value in a SPEC, or an alternative in a list of them, is percent-encoded.
  const encoded = (value: unknown): string => String(value).replace(/[%&,]/g, encodeURIComponent);
  return changed.length === 0 ? name : `${name}?${changed.map((key) => `${key}=${encoded(values[key])}`).join('&')}`;
}

async function craftSealed<S extends OptionSpecs>(
  definition: AttackDefinition<S>,
  options: OptionValues<S>,
  needs: readonly AttackNeed[],
  target: AttackTarget,
  context: AttackContext,
): Promise<CraftedPoison | Uncraftable> {
  throwIfAborted(context);
  const { count: asked, allowFewer } = context;
  if (!Number.isInteger(asked) || asked < 0 || asked > MAX_POISONS) {
    throw new BezoarError('INVALID_OPTION', `count is ${String(asked)}, expected a whole number from 0 to ${MAX_POISONS}`, {
      details: { field: 'count' },
    });
  }
  if (asked === 0) return freeze({ texts: [], targetAnswer: null, cost: NO_COST });
  const wrongTexts = target.wrongTexts.filter((text) => text.trim() !== '');
  let count = asked;
  if (needs.includes('wrong-texts')) {
    if (wrongTexts.length === 0 || (wrongTexts.length < asked && !allowFewer)) return 'too-few-wrong-texts';
    count = Math.min(asked, wrongTexts.length);
  }
  if (needs.includes('target-answer') && (target.targetAnswer ?? '').trim() === '') return 'no-target-answer';
  if (needs.includes('embeddings') && !context.encoder) {
    throw new BezoarError('NEEDS_EMBEDDINGS', `${definition.name} needs an encoder; pass one as encoder`);
  }
  const copy: AttackTarget = Object.freeze({
    query: Object.freeze({ ...target.query }),
    correctAnswers: Object.freeze([...target.correctAnswers]),
    targetAnswer: target.targetAnswer,
    wrongTexts: Object.freeze(wrongTexts),
  });
  const random = createRandom(deriveSeed(context.seed, definition.name, target.query.id));
  const outcome = await definition.run(copy, options, { ...context, count, random });
  throwIfAborted(context);
  if (typeof outcome === 'string') {
    if (!UNCRAFTABLE.includes(outcome)) throw broken(definition.name, `returned ${JSON.stringify(outcome).slice(0, 80)}`);
    return outcome;
  }
  const { texts } = outcome;
  if (texts.length > count) throw broken(definition.name, `made ${texts.length} texts of ${count}`);
  // Only the corpus may run short of what was promised.
  if (texts.length < count && !needs.includes('passages')) throw broken(definition.name, `made ${texts.length} texts of ${count}`);
  if (texts.length === 0 || (texts.length < count && !allowFewer)) return 'too-few-passages';
  for (const [index, text] of texts.entries()) checkText(definition.name, index, text);
  // Copies, so that nothing the author shares with others is frozen.
  return freeze({
    texts: texts.map(({ title, text, spans }) => ({
      ...(title === undefined ? {} : { title }),
      text,
      spans: { retrieval: copied(spans.retrieval), payload: copied(spans.payload), trigger: copied(spans.trigger) },
    })),
    targetAnswer: outcome.targetAnswer,
    cost: { ...(outcome.cost ?? NO_COST) },
  });
}

const copied = (spans: readonly TextSpan[]): TextSpan[] => spans.map(({ start, end }) => ({ start, end }));

function checkText(name: string, index: number, { title, text, spans }: PoisonedText): void {
  if (typeof text !== 'string' || text.trim() === '') throw broken(name, `made text ${index} blank`);
  if (title !== undefined && typeof title !== 'string') throw broken(name, `gave text ${index} a title that is no text`);
  for (const role of ['retrieval', 'payload', 'trigger'] as const) {
    let before = 0;
    for (const { start, end } of spans[role]) {
      const inside = Number.isInteger(start) && Number.isInteger(end) && start >= before && end > start && end <= text.length;
      if (!inside) throw broken(name, `marked ${role} ${start} to ${end} in text ${index} of ${text.length} characters`);
      before = end;
    }
  }
}

const broken = (name: string, what: string): BezoarError => new BezoarError('STAGE_BROKE_CONTRACT', `attack ${name} ${what}`);

function throwIfAborted({ signal }: AttackContext): void {
  if (signal?.aborted) throw new BezoarError('ABORTED', 'the caller aborted the attack', { cause: signal.reason });
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner);
  return Object.freeze(value);
}
