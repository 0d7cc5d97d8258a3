import { BezoarError } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { storeFault } from './store-fault.ts';

const said = (error: unknown): string => {
  const fault = storeFault(error, 'writing');
  expect(BezoarError.is(fault)).toBe(true);
  return `${fault.code} ${fault.message}`;
};
const coded = (code: string, message = 'as said'): Error => Object.assign(new Error(message), { code });

describe('storeFault', () => {
  it('names the cause and a remedy', () => {
    const full = 'STORE_FAILED writing: the disk of the database is full and nothing of this was written; make room and do it again';
    expect(said(coded('53100'))).toBe(full);
    expect(said(coded('ENOSPC'))).toBe(full);
    expect(said(coded('XX000', 'could not extend file: No space left on device'))).toBe(full);
    const bare =
      'STORE_FAILED writing: the database has no pgvector (0.8 or later); install it, and let its owner run "create extension vector"';
    expect(said(coded('0A000', 'extension "vector" is not available'))).toBe(bare);
    expect(said(coded('42704', 'type "vector" does not exist'))).toBe(bare);
    for (const message of ['different vector dimensions 3 and 4', 'expected 3 dimensions, not 4']) {
      expect(said(coded('22000', message))).toBe(
        `SHAPE_MISMATCH writing: the database keeps vectors of another length (${message}); use the store's encoder`,
      );
    }
    for (const code of ['28P01', '28000', '3D000']) {
      expect(said(coded(code))).toBe('STORE_FAILED writing: the database lets nobody in (as said); check the URL');
    }
    for (const code of ['42501', '25006']) {
      expect(said(coded(code))).toBe('STORE_FAILED writing: the database does not allow it (as said); ask its owner for the right');
    }
    expect(said(coded('57014'))).toContain('raise statement_timeout or do less at once');
    for (const code of ['42P01', '3F000']) {
      expect(said(coded(code))).toBe('STORE_FAILED writing: the store was removed meanwhile; make it again');
    }
    const lost =
      'STORE_FAILED writing: the connection to the database was lost and nothing of this was written (as said); see that it runs and do it again';
    for (const code of ['08006', '57P01', 'ECONNRESET', 'ECONNREFUSED']) expect(said(coded(code))).toBe(lost);
    expect(said(new Error('Connection terminated unexpectedly'))).toContain('the connection to the database was lost');
    expect(said(new Error('PGlite failed to initialize properly'))).toContain('see that the disk has room');
    expect(said(coded('22003', 'out of range'))).toBe('STORE_FAILED writing: the database refused (out of range)');
  });

  it('leaves our own errors as they are, and is bounded whatever was thrown', () => {
    const own = new BezoarError('ABORTED', 'x');
    expect(storeFault(own, 'writing')).toBe(own);
    expect(said(coded('', `a\u001b[31m\n${'b'.repeat(9000)}`)).length).toBeLessThan(300);
    expect(said(coded('', 'a\u001b[31m'))).toContain('(a?[31m)');
    expect(said('only text')).toBe('STORE_FAILED writing: the database refused (only text)');
  });
});
