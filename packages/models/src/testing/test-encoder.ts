import type { EncodedTexts, Encoder } from '@bezoar/core';

/** What `testEncoder` checks, by name. */
export type EncoderCheck =
  | 'describes itself'
  | 'nothing in, nothing out'
  | 'one vector a text, in order'
  | 'same text, same vector'
  | 'batch equals single'
  | 'empty text'
  | 'hostile text'
  | 'roles'
  | 'reports truncation'
  | 'nothing beyond the window counts'
  | 'stops on abort'
  | 'input is left alone';

type Test = (name: string, body: () => Promise<void>) => unknown;

export interface EncoderSuite {
  /** The runner's function, e.g. vitest's or node:test's `test`. With a `skip`, skipped checks show up there. */
  readonly test: Test & { readonly skip?: Test };
  readonly name: string;
  /** Called once. */
  readonly load: () => Encoder | Promise<Encoder>;
  /** Largest difference of a component, as a share of the vector's length, between a text alone and in company, and between two calls. Default 1e-5. */
  readonly tolerance?: number;
  /** A text longer than the encoder's window. Default: 2,000 words, which is over the window of every 512-token encoder. */
  readonly longText?: string;
  /** Checks that do not apply, each with its reason. */
  readonly skip?: Readonly<Partial<Record<EncoderCheck, string>>>;
}

const TEXTS = [
  'The Danube flows through Vienna, Bratislava, Budapest and Belgrade.',
  'Who wrote the opera Fidelio?',
  'Beethoven wrote Fidelio, his only opera, and revised it twice.',
  'A bezoar is a mass found in the stomach, once believed to be an antidote to poison, and worn as a charm by those who had reason to fear it.',
  'Sleep.',
];
const LONG_TEXT = Array.from({ length: 2000 }, (_, i) => `word${i % 97}`).join(' ');
const HOSTILE = [
  '\u0000\u0001\u001b[31m\u007f',
  '\ud800 lone \udc00 surrogates \ud83d',
  '\u202eright to left\u202c \u200b\u200c\u200d\ufeff',
  '[CLS] [SEP] [PAD] [MASK] <s> </s> <pad> <|endoftext|> ##ing',
  '\u{20000}\u{2a6d6}\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u4e2d\u6587',
  'e\u0301'.repeat(50) + '\u0301'.repeat(500),
  'x'.repeat(20_000),
  ' \t\n\r\u00a0\u2003\u3000 ',
  '__proto__ constructor toString',
];

/**
 * Registers the conformance tests of the `Encoder` port with a test runner; a test that fails throws. Every encoder of this package passes
 * them; an encoder of your own should too.
 *
 * @example
 * import { test } from 'vitest';
 * testEncoder({ test, name: 'mine', load: () => createMyEncoder() });
 */
export const testEncoder = (suite: EncoderSuite): void => {
  const { tolerance = 1e-5, longText = LONG_TEXT } = suite;
  let loaded: Promise<Encoder> | undefined;
  const load = (): Promise<Encoder> => {
    loaded ??= Promise.resolve().then(suite.load);
    return loaded;
  };
  const encodeAll = async (texts: readonly string[], role: 'query' | 'passage' = 'passage'): Promise<EncodedTexts> => {
    const encoder = await load();
    const encoded = await encoder.encode(texts, { role });
    expectShape(encoded, texts.length, encoder.dimensions);
    return encoded;
  };
  const encodeOne = async (text: string): Promise<Float32Array> => (await encodeAll([text])).vectors[0];
  const check = (name: EncoderCheck, body: () => Promise<void>): void => {
    const reason = suite.skip?.[name];
    if (reason === undefined) suite.test(`${suite.name}: ${name}`, body);
    else suite.test.skip?.(`${suite.name}: ${name} (${reason})`, body);
  };

  check('describes itself', async () => {
    const { name, dimensions, similarity } = await load();
    expect(name.length > 0, 'its name is empty');
    expect(Number.isInteger(dimensions) && dimensions > 0, `its dimensions are ${dimensions}`);
    expect(similarity === 'cosine' || similarity === 'dot', `its similarity is ${similarity}`);
  });

  check('nothing in, nothing out', async () => {
    await encodeAll([]);
  });

  check('one vector a text, in order', async () => {
    const { vectors } = await encodeAll(TEXTS);
    const turned = await encodeAll(TEXTS.toReversed());
    for (const [i, vector] of vectors.entries()) {
      expectClose(vector, turned.vectors[TEXTS.length - 1 - i], tolerance, `text ${i}, with the texts in reverse,`);
      for (let j = 0; j < i; j++) expect(difference(vector, vectors[j]) > 1e-3, `texts ${j} and ${i} differ and have one vector`);
    }
    const alike = cosine(vectors[1], vectors[2]);
    expect(alike > cosine(vectors[1], vectors[0]), `a question is nearer to a passage about something else than to its answer (${alike})`);
  });

  check('same text, same vector', async () => {
    const first = await encodeAll(TEXTS);
    const second = await encodeAll(TEXTS);
    for (const [i, vector] of first.vectors.entries()) expectClose(vector, second.vectors[i], tolerance, `text ${i}, encoded again,`);
    const twice = await encodeAll([TEXTS[0], TEXTS[0]]);
    expectClose(twice.vectors[0], twice.vectors[1], tolerance, 'a text beside itself');
    expect(twice.vectors[0] !== twice.vectors[1], 'two texts share one array: changing one changes the other');
  });

  check('batch equals single', async () => {
    const { vectors } = await encodeAll(TEXTS);
    for (const [i, text] of TEXTS.entries()) expectClose(vectors[i], await encodeOne(text), tolerance, `text ${i}, encoded alone,`);
  });

  check('empty text', async () => {
    const { truncated, vectors } = await encodeAll(['', TEXTS[0], '   ']);
    expect(!truncated[0], 'empty text is reported as truncated');
    expectClose(vectors[1], await encodeOne(TEXTS[0]), tolerance, 'a text beside an empty one');
  });

  check('hostile text', async () => {
    const { vectors } = await encodeAll([...HOSTILE, TEXTS[0]]);
    expectClose(vectors[HOSTILE.length], await encodeOne(TEXTS[0]), tolerance, 'a text beside hostile ones');
  });

  check('roles', async () => {
    const query = await encodeAll(TEXTS, 'query');
    expect(difference(query.vectors[0], query.vectors[1]) > 1e-3, 'as queries all texts have one vector');
  });

  check('reports truncation', async () => {
    const { truncated } = await encodeAll([TEXTS[0], longText, TEXTS[1]]);
    expect(truncated[1], 'a text longer than the window is not reported as truncated');
    expect(!truncated[0] && !truncated[2], 'a short text is reported as truncated');
  });

  check('nothing beyond the window counts', async () => {
    const [one, other] = [await encodeOne(longText), await encodeOne(`${longText} ${TEXTS[0]}`)];
    expectClose(one, other, tolerance, 'a truncated text with more text behind it');
  });

  check('stops on abort', async () => {
    const encoder = await load();
    const reason = await encoder.encode(TEXTS, { role: 'passage', signal: AbortSignal.abort() }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(
      reason instanceof Error && 'code' in reason && reason.code === 'ABORTED',
      `with a signal that fired, encode ends with ${String(reason)}`,
    );
  });

  check('input is left alone', async () => {
    const texts = Object.freeze([...TEXTS]);
    await encodeAll(texts);
    expect(
      texts.every((text, i) => text === TEXTS[i]),
      'the texts were changed',
    );
  });
};

const expect = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message);
};

const expectShape = ({ vectors, truncated }: EncodedTexts, count: number, dimensions: number): void => {
  expect(
    vectors.length === count && truncated.length === count,
    `${count} texts give ${vectors.length} vectors and ${truncated.length} flags`,
  );
  for (const [i, vector] of vectors.entries()) {
    expect(vector instanceof Float32Array && vector.length === dimensions, `vector ${i} is not a Float32Array of ${dimensions}`);
    expect(vector.every(Number.isFinite), `vector ${i} holds a number that is not finite`);
    expect(typeof truncated[i] === 'boolean', `flag ${i} is not a boolean`);
  }
};

const length = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));

/** Largest difference of a component, as a share of the longer vector's length. */
const difference = (one: Float32Array, other: Float32Array): number => {
  const scale = Math.max(length(one), length(other));
  return scale === 0 ? 0 : one.reduce((most, x, k) => Math.max(most, Math.abs(x - other[k])), 0) / scale;
};

const cosine = (one: Float32Array, other: Float32Array): number => {
  const lengths = length(one) * length(other);
  return lengths === 0 ? 0 : one.reduce((sum, x, k) => sum + x * other[k], 0) / lengths;
};

const expectClose = (one: Float32Array, other: Float32Array, tolerance: number, what: string): void => {
  const found = difference(one, other);
  expect(found <= tolerance, `${what} has another vector: components differ by ${found} of its length, over ${tolerance}`);
};
