import { BezoarError } from '../errors.ts';
import { duplicateKey } from '../kernels/normalize-text.ts';
import type {
  Action,
  Certificate,
  Defense,
  DefenseKind,
  JsonObject,
  Need,
  PaperSource,
  Query,
  Retrieval,
  RetrievedPassage,
  StageResult,
  Verdict,
} from '../types.ts';
import { type OptionSpecs, type OptionValues, option, readOptions, shown } from './options.ts';
import { type PassageText, passageText } from './passage-text.ts';
import type { Encoder } from './ports.ts';
import type { Reasons } from './reasons.ts';
import { type RunContext, throwIfAborted } from './run-context.ts';

/** What the author of a defense is given: passages that can be judged, in the order they came in. */
export interface StageInput {
  readonly query: Query;
  /** Unique ids, text that is not empty, and where the defense needs embeddings a finite one that is not zero. */
  readonly passages: readonly RetrievedPassage[];
  /** The text of each passage, title included as the policy says. */
  readonly texts: readonly string[];
  /** One vector a passage where the defense needs `embeddings`, else empty. All of one length. */
  readonly embeddings: readonly Float32Array[];
  /** null where the query has none, or one that is not finite or zero; made by the encoder where the defense needs `query-embedding`. */
  readonly queryEmbedding: Float32Array | null;
  /** The encoder that made or would make the vectors, for its calibration; null when none is known. */
  readonly encoder: Encoder | null;
  /** How many passages a reranker lets go on. */
  readonly keep: number;
}

/** What the author decides about one passage of the input. */
export interface Judgement {
  readonly action: 'keep' | 'drop' | 'rewrite';
  readonly score: number | null;
  readonly suspicion: number;
  readonly reason: string;
  readonly evidence?: JsonObject;
  /** With `rewrite`: the new text and, where it changes, the new title. */
  readonly text?: string;
  readonly title?: string;
}

export interface StageOutcome {
  /** One a passage, in input order. */
  readonly judgements: readonly Judgement[];
  /** Input positions of the passages that go on, in their new order. Default: those not dropped, as they came in. */
  readonly order?: readonly number[];
  readonly certificate?: Certificate | null;
}

export interface DefenseDefinition<S extends OptionSpecs> {
  /** The SPEC name, which is the file's name. */
  readonly name: string;
  /** What it computes, in one sentence. */
  readonly summary: string;
  readonly kind: DefenseKind;
  /** null for a mechanism of our own. */
  readonly source: PaperSource | null;
  /** Judges passages against each other, so exact duplicates are collapsed first. */
  readonly setLevel: boolean;
  readonly options: S;
  readonly reasons: Reasons;
  needs(options: OptionValues<S>): readonly Need[];
  /** The SPEC of another encoder than the context's, when an option names one. */
  encoder?(options: OptionValues<S>): string | null;
  run(input: StageInput, options: OptionValues<S>, context: RunContext): StageOutcome | Promise<StageOutcome>;
}

const setLevelOptions = { collapseDuplicates: option.flag(true, 'Drop later copies of a passage before judging; the papers did not.') };
const rerankOptions = {
  keep: option.nullable(option.number(5, 'How many passages go on.', { min: 1, max: 10_000, integer: true }), "the policy's"),
};
const sealOptions = {
  passageText: option.nullable(
    option.choice(
      ['title-and-text', 'text'],
      'title-and-text',
      'Whether the title, where there is one, belongs to the text that is judged.',
    ),
    "the policy's",
  ),
};

type SealValues = { readonly collapseDuplicates?: boolean; readonly keep?: number | null; readonly passageText: PassageText | null };
export type GivenOptions<S extends OptionSpecs> = Partial<OptionValues<S>> & Partial<SealValues>;

/** Makes a defense with the given options; carries the definition's metadata for lists, docs and schemas. */
export interface DefenseFactory<S extends OptionSpecs = OptionSpecs> {
  (options?: GivenOptions<S>): Defense;
  readonly definition: DefenseDefinition<S>;
  /** The definition's options and those the seal adds. */
  readonly optionSpecs: OptionSpecs;
}

/** More passages than this in one retrieval are refused: set-level work grows with the square. */
export const MAX_PASSAGES = 1000;
/** A passage of more characters, title included, is set aside, and a question of more is refused: it is a book, not a passage. */
export const MAX_CHARACTERS = 50_000;
/** Ids stand in the evidence of other passages, so they are bounded. */
const MAX_ID = 1000;

/**
 * Turns the inside of a defense, written by its author, into a sealed one. The seal refuses repeated ids and vectors of different length,
 * sets aside passages without text, copies (for set-level mechanisms) and passages without a usable embedding, gives the author frozen
 * copies, checks that every passage got exactly one judgement and that no passage was invented, and times the mechanism alone.
 */
export function defineDefense<const S extends OptionSpecs>(definition: DefenseDefinition<S>): DefenseFactory<S> {
  const optionSpecs: OptionSpecs = {
    ...definition.options,
    ...(definition.kind === 'rerank' ? rerankOptions : {}),
    ...(definition.setLevel ? setLevelOptions : {}),
    ...sealOptions,
  };
  const create = (given: GivenOptions<S> = {}): Defense => {
    const values = readOptions(optionSpecs, given, definition.name) as unknown as OptionValues<S> & SealValues;
    return Object.freeze({
      name: definition.name,
      kind: definition.kind,
      source: definition.source,
      needs: definition.needs(values),
      keep: values.keep ?? null,
      reasons: definition.reasons,
      spec: specOf(definition.name, optionSpecs, values),
      run: (retrieval: Retrieval, context: RunContext) => runSealed(definition, values, retrieval, context),
    });
  };
  return Object.assign(create, { definition, optionSpecs });
}

function specOf(name: string, specs: OptionSpecs, values: Readonly<Record<string, unknown>>): string {
  const changed = Object.keys(specs).filter((key) => values[key] !== specs[key]!.default);
  return changed.length === 0 ? name : `${name}?${changed.map((key) => `${key}=${encoded(values[key])}`).join('&')}`;
}

/** What would end a value in a SPEC, or an alternative in a list of them, is percent-encoded. */
const encoded = (value: unknown): string => String(value).replace(/[%&,]/g, encodeURIComponent);

interface SetAside {
  readonly reason: 'empty-text' | 'too-long' | 'duplicate' | 'unscorable';
  readonly evidence: JsonObject;
}

/** What has no text, or too much of it: one passage that an attacker blew up must not hold up the others. */
function unjudgeable({ text, title }: RetrievedPassage): SetAside | null {
  // A retriever in plain JavaScript may say null where there is no title.
  const characters = text.length + (title?.length ?? 0);
  if (characters > MAX_CHARACTERS) return { reason: 'too-long', evidence: { characters } };
  return text.trim() === '' ? { reason: 'empty-text', evidence: {} } : null;
}

async function runSealed<S extends OptionSpecs>(
  definition: DefenseDefinition<S>,
  options: OptionValues<S> & SealValues,
  retrieval: Retrieval,
  context: RunContext,
): Promise<StageResult> {
  throwIfAborted(context);
  const passages = retrieval.passages;
  checkRetrieval(retrieval);
  const texts = passages.map((passage) => passageText(passage, options.passageText ?? context.passageText));
  const setAside = passages.map(unjudgeable);
  if (definition.setLevel && options.collapseDuplicates !== false) markDuplicates(passages, texts, setAside);

  const needs = definition.needs(options);
  const named = definition.encoder?.(options) ?? null;
  const encoder = named === null ? context.encoder : await resolveNamed(named, definition.name, context);
  const vectors = needs.includes('embeddings')
    ? await passageVectors(definition.name, passages, texts, setAside, named !== null, encoder, context)
    : NO_VECTORS;
  const judged = passages.flatMap((_, index) => (setAside[index] ? [] : [index]));
  const queryEmbedding =
    judged.length > 0 ? await queryVector(definition.name, retrieval.query, needs, vectors, named !== null, encoder, context) : null;
  const first = judged.length > 0 ? vectors.embeddings[judged[0]!] : undefined;
  if (queryEmbedding && first && queryEmbedding.length !== first.length) {
    throw new BezoarError(
      'SHAPE_MISMATCH',
      `the query's embedding has ${queryEmbedding.length} numbers, the passages' have ${first.length}; encode both with one encoder`,
      {
        details: { field: 'query.embedding' },
      },
    );
  }
  if (needs.includes('cross-encoder') && !context.crossEncoder) {
    throw new BezoarError('NEEDS_CROSS_ENCODER', `${definition.name} needs a cross-encoder; pass one as crossEncoder`);
  }
  if (needs.includes('likelihood') && !context.likelihood) {
    throw new BezoarError('NEEDS_LIKELIHOOD', `${definition.name} needs a likelihood model; pass one as likelihood`);
  }

  const input: StageInput = Object.freeze({
    query: Object.freeze({ ...retrieval.query }),
    passages: Object.freeze(judged.map((index) => Object.freeze({ ...passages[index]! }))),
    texts: Object.freeze(judged.map((index) => texts[index]!)),
    embeddings: Object.freeze(needs.includes('embeddings') ? judged.map((index) => vectors.embeddings[index]!) : []),
    queryEmbedding,
    // Vectors that came with the passages may be another encoder's, whose thresholds are not this one's.
    encoder: vectors.encoded || first?.length === encoder?.dimensions ? encoder : null,
    keep: options.keep ?? context.keep,
  });
  const started = context.now();
  const returned = definition.run(input, options, context);
  const outcome = returned instanceof Promise ? await returned : returned;
  const ms = context.now() - started;
  const places = definition.kind === 'rerank' ? input.keep : Infinity;
  return assemble(
    definition.name,
    passages,
    judged,
    setAside,
    vectors.truncated,
    outcome,
    ms,
    context.unscorable === 'keep-last' ? places : 0,
  );
}

/** Refuses a retrieval that no stage could judge: too many passages, ids that repeat, ids or texts that are not text. */
export function checkRetrieval({ query, passages }: Retrieval): void {
  if (passages.length > MAX_PASSAGES) {
    throw new BezoarError('TOO_LARGE', `a retrieval of ${passages.length} passages; at most ${MAX_PASSAGES} are judged together`);
  }
  checkText(query.text, 'query.text', MAX_CHARACTERS);
  const seen = new Set<string>();
  for (const [index, { id, text }] of passages.entries()) {
    checkText(id, `passages[${index}].id`, MAX_ID);
    checkText(text, `passages[${index}].text`, Number.POSITIVE_INFINITY);
    if (seen.has(id))
      throw new BezoarError(
        'DUPLICATE_ID',
        `two passages of one retrieval have the id ${JSON.stringify(id.slice(0, 80))}; ids must be unique`,
      );
    seen.add(id);
  }
}

function checkText(value: unknown, field: string, limit: number): void {
  if (typeof value === 'string' && value.length <= limit) return;
  if (typeof value === 'string')
    throw new BezoarError('TOO_LARGE', `${field} has ${value.length} characters, expected at most ${limit}`, { details: { field } });
  throw new BezoarError('BAD_INPUT', `${field} is ${value === undefined ? 'missing' : shown(value)}, expected text`, {
    details: { field },
  });
}

function markDuplicates(passages: readonly RetrievedPassage[], texts: readonly string[], setAside: (SetAside | null)[]): void {
  const firstWith = new Map<string, string>();
  for (const [index, text] of texts.entries()) {
    if (setAside[index]) continue;
    const key = duplicateKey(text);
    const sameAs = firstWith.get(key);
    if (sameAs === undefined) firstWith.set(key, passages[index]!.id);
    else setAside[index] = { reason: 'duplicate', evidence: { sameAs } };
  }
}

async function resolveNamed(spec: string, owner: string, context: RunContext): Promise<Encoder> {
  if (context.encoder?.name === spec) return context.encoder;
  if (!context.resolveEncoder) {
    throw new BezoarError(
      'NEEDS_EMBEDDINGS',
      `${owner} names the encoder ${JSON.stringify(spec)}; pass resolveEncoder so that it can be made`,
    );
  }
  return context.resolveEncoder(spec);
}

interface Vectors {
  readonly embeddings: readonly (Float32Array | undefined)[];
  /** Positions of passages longer than the encoder's window: their verdicts say so. */
  readonly truncated: ReadonlySet<number>;
  /** Whether the encoder made them in this run. */
  readonly encoded: boolean;
}

const NO_VECTORS: Vectors = { embeddings: [], truncated: new Set(), encoded: false };

/** Vectors as given, or made by the encoder when no passage has one or an option names its own encoder. Marks what cannot be scored. */
async function passageVectors(
  owner: string,
  passages: readonly RetrievedPassage[],
  texts: readonly string[],
  setAside: (SetAside | null)[],
  encodeAnyway: boolean,
  encoder: Encoder | null,
  context: RunContext,
): Promise<Vectors> {
  const encoded = encodeAnyway || passages.every((passage) => !passage.embedding);
  let embeddings: (Float32Array | undefined)[] = passages.map((passage) => passage.embedding);
  const truncated = new Set<number>();
  const live = passages.flatMap((_, index) => (setAside[index] ? [] : [index]));
  if (live.length === 0) return { embeddings, truncated, encoded };
  if (encoded) {
    if (!encoder) throw needsEmbeddings(owner, 'the passages have none');
    const made = await context.embed(
      encoder,
      live.map((index) => texts[index]!),
      'passage',
    );
    embeddings = passages.map(() => undefined);
    for (const [position, index] of live.entries()) {
      embeddings[index] = made[position]!.vector;
      if (made[position]!.truncated) truncated.add(index);
    }
  }
  let length: number | null = null;
  for (const index of live) {
    const vector = embeddings[index];
    if (!vector || vector.length === 0) {
      setAside[index] = { reason: 'unscorable', evidence: { embedding: 'missing' } };
      continue;
    }
    length ??= vector.length;
    if (vector.length !== length) {
      throw new BezoarError(
        'SHAPE_MISMATCH',
        `passage ${JSON.stringify(passages[index]!.id.slice(0, 80))}: its embedding has ${vector.length} numbers, the others have ${length}; encode all with one encoder`,
        { details: { field: `passages[${index}].embedding`, expected: length, received: vector.length } },
      );
    }
    const fault = vectorFault(vector);
    if (fault) setAside[index] = { reason: 'unscorable', evidence: { embedding: fault } };
  }
  return { embeddings, truncated, encoded };
}

async function queryVector(
  owner: string,
  query: Query,
  needs: readonly Need[],
  vectors: Vectors,
  encodeAnyway: boolean,
  encoder: Encoder | null,
  context: RunContext,
): Promise<Float32Array | null> {
  if (!needs.includes('embeddings') && !needs.includes('query-embedding')) return null;
  if (query.embedding && !encodeAnyway && !(vectors.encoded && encoder)) return vectorFault(query.embedding) ? null : query.embedding;
  // Given passage vectors and no query vector: the encoder at hand may be another than theirs, so it is asked only when the stage cannot do without.
  if (!vectors.encoded && !needs.includes('query-embedding')) return null;
  if (!encoder) throw needsEmbeddings(owner, 'the query has none');
  if (query.text.trim() === '') return null;
  const [made] = await context.embed(encoder, [query.text], 'query');
  return made && !vectorFault(made.vector) ? made.vector : null;
}

function needsEmbeddings(owner: string, which: string): BezoarError {
  return new BezoarError(
    'NEEDS_EMBEDDINGS',
    `${owner} needs embeddings and ${which}; give every passage and the query an embedding, or pass an encoder`,
  );
}

/** Shorter vectors than this cannot be given a direction. */
const MIN_NORM = 1e-12;

function vectorFault(vector: Float32Array): 'not finite' | 'zero' | null {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  if (!Number.isFinite(squares)) return 'not finite';
  return squares < MIN_NORM * MIN_NORM ? 'zero' : null;
}

const ACTIONS: readonly Action[] = ['keep', 'drop', 'rewrite'];

function assemble(
  name: string,
  passages: readonly RetrievedPassage[],
  judged: readonly number[],
  setAside: readonly (SetAside | null)[],
  truncated: ReadonlySet<number>,
  outcome: StageOutcome,
  ms: number,
  /** Unscorable passages go on last while fewer than this have gone on. */
  unscorablePlaces: number,
): StageResult {
  const broke = (what: string): BezoarError => new BezoarError('STAGE_BROKE_CONTRACT', `${name} ${what}`);
  const given = outcome?.judgements?.filter((judgement) => judgement).length ?? 0;
  if (given !== judged.length || outcome.judgements.length !== given) throw broke(`judged ${given} of ${judged.length} passages`);
  const order = outcome.order ?? outcome.judgements.flatMap((judgement, position) => (judgement.action === 'drop' ? [] : [position]));
  const kept = new Set(order);
  if (kept.size !== order.length) throw broke('put a passage in its order twice');
  for (const [position, judgement] of outcome.judgements.entries()) {
    if (!ACTIONS.includes(judgement.action)) throw broke(`says ${shown(judgement.action)} of a passage, expected ${ACTIONS.join(', ')}`);
    if (kept.has(position) === (judgement.action === 'drop')) throw broke(`says ${judgement.action} of a passage and orders otherwise`);
    if (!(judgement.suspicion >= 0 && judgement.suspicion <= 1)) throw broke(`gave a suspicion of ${judgement.suspicion}, expected 0 to 1`);
    if (judgement.score !== null && !Number.isFinite(judgement.score))
      throw broke(`gave a score of ${judgement.score}, expected a finite number or null`);
  }
  const goOn: RetrievedPassage[] = [];
  const rankAfter = new Map<number, number>();
  const push = (index: number, changed: Partial<RetrievedPassage> = {}): void => {
    goOn.push(Object.freeze({ ...passages[index]!, ...changed, rank: goOn.length + 1 }));
    rankAfter.set(index, goOn.length);
  };
  for (const position of order) {
    const index = judged[position];
    const judgement = outcome.judgements[position];
    if (index === undefined || !judgement) throw broke(`ordered a passage ${position} that it was not given`);
    const { text, title } = judgement;
    push(
      index,
      judgement.action === 'rewrite' ? { ...(text === undefined ? {} : { text }), ...(title === undefined ? {} : { title }) } : {},
    );
  }
  for (const [index, aside] of setAside.entries()) {
    if (aside?.reason === 'unscorable' && goOn.length < unscorablePlaces) push(index);
  }
  const judgementOf = new Map(judged.map((index, position) => [index, outcome.judgements[position]!]));
  const verdicts = passages.map((passage, index): Verdict => {
    const judgement = judgementOf.get(index);
    const aside = setAside[index];
    const common = { passageId: passage.id, rankBefore: index + 1, rankAfter: rankAfter.get(index) ?? null };
    if (judgement) {
      const { action, score, suspicion, reason } = judgement;
      // What lies beyond the encoder's window was not judged, and a language model will read it.
      const evidence = truncated.has(index) ? { ...judgement.evidence, truncated: true } : judgement.evidence;
      return Object.freeze({ ...common, action, score, suspicion, reason, ...(evidence ? { evidence } : {}) });
    }
    return Object.freeze({
      ...common,
      action: rankAfter.has(index) ? 'keep' : 'drop',
      score: null,
      // A copy or an unreadable vector is no sign of an attack by itself.
      suspicion: 0,
      reason: aside!.reason,
      ...(Object.keys(aside!.evidence).length > 0 ? { evidence: aside!.evidence } : {}),
    });
  });
  return { passages: goOn, verdicts, certificate: outcome.certificate ?? null, ms };
}
