import { BezoarError } from '../errors.ts';
import type { PaperSource } from '../types.ts';
import type { IndexContext, IndexDefense } from './index-defense.ts';
import { type OptionSpecs, type OptionValues, readOptions } from './options.ts';
import type { EncodeOptions, Encoder } from './ports.ts';

export interface IndexDefenseDefinition<S extends OptionSpecs, D extends IndexDefense = IndexDefense> {
  /** The SPEC name, which is the file's name. */
  readonly name: string;
  /** What it computes, in one sentence. */
  readonly summary: string;
  /** null for a mechanism of our own. */
  readonly source: PaperSource | null;
  readonly options: S;
  /** Throws `INVALID_OPTION` for options that do not go together. */
  make(options: OptionValues<S>): Omit<D, 'name' | 'source' | 'spec'>;
}

/** Makes an index defense with the given options; carries the definition's metadata for lists and docs. */
export interface IndexDefenseFactory<S extends OptionSpecs = OptionSpecs, D extends IndexDefense = IndexDefense> {
  (options?: Partial<OptionValues<S>>): D;
  readonly definition: IndexDefenseDefinition<S, D>;
  readonly optionSpecs: OptionSpecs;
}

/** Names an index defense, reads its options and writes its SPEC. */
export function defineIndexDefense<const S extends OptionSpecs, D extends IndexDefense = IndexDefense>(
  definition: IndexDefenseDefinition<S, D>,
): IndexDefenseFactory<S, D> {
  const { name, source, options: specs } = definition;
  const create = (given: Partial<OptionValues<S>> = {}): D => {
    const options = readOptions(specs, given, name);
    const changed = Object.entries<unknown>(options).filter(([key, value]) => value !== specs[key]!.default);
    const spec = changed.length === 0 ? name : `${name}?${changed.map(([key, value]) => `${key}=${String(value)}`).join('&')}`;
    return Object.freeze({ ...definition.make(options), name, source, spec }) as unknown as D;
  };
  return Object.assign(create, { definition, optionSpecs: specs });
}

/** The vectors of texts, in order; none are asked for when there are no texts. */
export async function encodeTexts(
  texts: readonly string[],
  { encoder, signal }: Pick<IndexContext, 'encoder' | 'signal'> & { readonly encoder: Encoder },
  role: EncodeOptions['role'] = 'passage',
): Promise<readonly Float32Array[]> {
  if (signal?.aborted) throw new BezoarError('ABORTED', 'aborted by the caller', { cause: signal.reason });
  if (texts.length === 0) return [];
  const { vectors } = await encoder.encode(texts, { role, ...(signal ? { signal } : {}) });
  if (vectors.length !== texts.length || vectors.some((vector) => vector.length !== encoder.dimensions)) {
    throw new BezoarError(
      'ENCODER_FAILED',
      `${encoder.name} gave ${vectors.length} vectors for ${texts.length} texts, or not all of ${encoder.dimensions} numbers`,
    );
  }
  return vectors;
}
