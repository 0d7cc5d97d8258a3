/** How a family of encoders turns token vectors into one vector, and how its vectors are compared. */
export interface EncoderPreset {
  readonly pooling: 'mean' | 'cls';
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** With `cosine` vectors are brought to unit length; with `dot` they keep theirs. */
  readonly similarity: 'cosine' | 'dot';
}

const MEAN_COSINE: EncoderPreset = { pooling: 'mean', queryPrefix: '', passagePrefix: '', similarity: 'cosine' };
const CLS_COSINE: EncoderPreset = { ...MEAN_COSINE, pooling: 'cls' };

/**
 * What the model cards say, by family. A preset says nothing about the window, which the folder's own files do.
 *
 * `ance`: the graph must hold the dense layer and the layer norm that follow [CLS], as they are part of the model.
 * `simcse`: [CLS] of the last layer, before the pooler, as TrustRAG uses it; the model card takes the pooler's output.
 * `bert`: not trained for sentences; [CLS] of the last layer, as TrustRAG uses it.
 * `gte`: the first generation (thenlper); `gte-v1.5` (Alibaba-NLP) pools by [CLS].
 */
export const ENCODER_PRESETS: Readonly<Record<string, EncoderPreset>> = {
  ance: { ...CLS_COSINE, similarity: 'dot' },
  bert: CLS_COSINE,
  bge: { ...CLS_COSINE, queryPrefix: 'Represent this sentence for searching relevant passages: ' },
  contriever: { ...MEAN_COSINE, similarity: 'dot' },
  gte: MEAN_COSINE,
  'gte-v1.5': CLS_COSINE,
  minilm: MEAN_COSINE,
  'multilingual-e5': { ...MEAN_COSINE, queryPrefix: 'query: ', passagePrefix: 'passage: ' },
  simcse: CLS_COSINE,
};
