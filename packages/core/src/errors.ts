/** Every way Bezoar refuses, with what it means. The code is for programs, the message for people. */
export const ERROR_CODES = {
  ABORTED: 'the caller aborted the work',
  BAD_CONFIG: 'a policy file is not valid',
  BAD_INPUT: 'a record is not of the documented shape',
  BUDGET_EXCEEDED: 'a stage used more time than its policy allows',
  DUPLICATE_ID: 'two passages of one retrieval have the same id',
  ENCODER_FAILED: 'an encoder did not return what its port promises',
  INVALID_OPTION: 'an option is unknown or out of its range',
  MISSING_PEER: 'an optional package is needed and not installed',
  NEEDS_CROSS_ENCODER: 'a stage needs a cross-encoder and the context has none',
  NEEDS_EMBEDDINGS: 'a stage needs embeddings, the passages have none and the context has no encoder',
  NEEDS_LIKELIHOOD: 'a stage needs a likelihood model and the context has none',
  NEEDS_PARAPHRASER: 'a defense needs a function that says a text in other words and was given none',
  NOT_FOUND: 'a file or folder does not exist',
  SHAPE_MISMATCH: 'vectors that must be of one length are not',
  STORE_FAILED: 'a store, its database or its disk could not do what was asked',
  STAGE_FAILED: 'a stage threw an error of its own',
  STAGE_BROKE_CONTRACT: 'a defense returned something other than one judgement a passage',
  TOO_LARGE: 'an input is over a stated bound',
  UNKNOWN_NAME: 'no defense, recipe, policy or encoder has that name',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

const MARK = Symbol.for('bezoar.error');

/** The one error Bezoar throws. Recognise it with `BezoarError.is`, which works across copies of the package. */
export class BezoarError extends Error {
  readonly code: ErrorCode;
  /** Structured facts: file, line, field, expected, received. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: Readonly<Record<string, string | number | boolean | null>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BezoarError';
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARK, { value: true });
  }

  static is(value: unknown, code?: ErrorCode): value is BezoarError {
    return (
      typeof value === 'object' && value !== null && MARK in value && (code === undefined || (value as { code?: unknown }).code === code)
    );
  }
}
