import { BezoarError, type ErrorCode } from '@bezoar/core';

/** An error on its way between threads, where classes and fields of one's own are lost: only a `BezoarError` is taken apart. */
interface Packed {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: BezoarError['details'];
}

export type ThreadError = { readonly known: Packed } | { readonly unknown: string };

/** What a thread can be sent of anything that was thrown, whatever hangs on it. */
export function packError(error: unknown): ThreadError {
  if (!BezoarError.is(error)) return { unknown: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { code, message, details } = error;
  return { known: { code, message, details: { ...details } } };
}

/** The error again: of the same code, with the same words, so that people are told what they can do. */
export function unpackError(error: ThreadError): Error {
  if ('known' in error) return new BezoarError(error.known.code, error.known.message, { details: error.known.details });
  const [message = '', ...stack] = error.unknown.split('\n');
  return Object.assign(new Error(message), { stack: [message, ...stack].join('\n') });
}
