import { BezoarError } from '@bezoar/core';
import { printable } from '@bezoar/core/stores/memory';

/** What the database or the way to it said, as one sentence with what to do about it. PostgreSQL's error codes are those of its appendix A. */
export function storeFault(error: unknown, doing: string): BezoarError {
  if (BezoarError.is(error)) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const said = printable(message, 200);
  const failed = (sentence: string): BezoarError =>
    new BezoarError('STORE_FAILED', `${doing}: ${sentence}`, { cause: error, details: { sqlState: code, said } });
  if (code === '53100' || code === 'ENOSPC' || /no space left/i.test(message)) {
    return failed('the disk of the database is full and nothing of this was written; make room and do it again');
  }
  if (/extension "?vector"?|type "vector"|access method "hnsw"/i.test(message)) {
    return failed('the database has no pgvector (0.8 or later); install it, and let its owner run "create extension vector"');
  }
  if (/different vector dimensions|expected \d+ dimensions/.test(message)) {
    return new BezoarError('SHAPE_MISMATCH', `${doing}: the database keeps vectors of another length (${said}); use the store's encoder`, {
      cause: error,
    });
  }
  if (code === '28P01' || code === '28000' || code === '3D000') return failed(`the database lets nobody in (${said}); check the URL`);
  if (code === '42501' || code === '25006') return failed(`the database does not allow it (${said}); ask its owner for the right`);
  if (code === '57014') return failed('the database stopped it, and nothing of it was written; raise statement_timeout or do less at once');
  if (code === '42P01' || code === '3F000') return failed('the store was removed meanwhile; make it again');
  if (/failed to initialize/.test(message)) {
    return failed(`PGlite cannot start there (${said}); see that the disk has room and that the folder is empty or one that it made`);
  }
  if (/^(08|57P)/.test(code) || /^E[A-Z]+$/.test(code) || /terminated|closed|timeout|not queryable|ended/i.test(message)) {
    return failed(`the connection to the database was lost and nothing of this was written (${said}); see that it runs and do it again`);
  }
  return failed(`the database refused (${said})`);
}
