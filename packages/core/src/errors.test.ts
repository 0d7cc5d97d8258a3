import { describe, expect, it } from 'vitest';
import { BezoarError, ERROR_CODES, type ErrorCode } from './errors.ts';

describe('BezoarError', () => {
  it('carries code, message, details and cause', () => {
    const cause = new Error('the disk is full');
    const error = new BezoarError('NOT_FOUND', 'there is no such file', { cause, details: { file: 'a.yaml', line: 3 } });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code, error.message, error.cause]).toEqual(['BezoarError', 'NOT_FOUND', 'there is no such file', cause]);
    expect(error.details).toEqual({ file: 'a.yaml', line: 3 });
  });

  it('has empty details and no cause when none are given', () => {
    const error = new BezoarError('ABORTED', 'stopped');
    expect(error.details).toEqual({});
    expect('cause' in error).toBe(false);
  });

  it('is recognised across copies of the package, by code where one is asked for', () => {
    const error = new BezoarError('TOO_LARGE', 'x');
    const fromAnotherCopy = Object.assign(new Error('x'), { code: 'TOO_LARGE', [Symbol.for('bezoar.error')]: true });
    for (const value of [error, fromAnotherCopy]) {
      expect(BezoarError.is(value)).toBe(true);
      expect(BezoarError.is(value, 'TOO_LARGE')).toBe(true);
      expect(BezoarError.is(value, 'ABORTED')).toBe(false);
    }
  });

  it.each([null, undefined, 'TOO_LARGE', 7, {}, new Error('x'), { code: 'TOO_LARGE' }, () => 1])('is not mistaken for %s', (value) => {
    expect(BezoarError.is(value)).toBe(false);
  });

  it('keeps its mark out of sight, so that logs and JSON do not show it', () => {
    expect(Object.keys(new BezoarError('ABORTED', 'x')).sort()).toEqual(['code', 'details', 'name']);
  });

  it('explains every code in a line', () => {
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(meaning).toMatch(/^[a-z].*[^.]$/);
    }
    expect(Object.keys(ERROR_CODES)).toContain('NEEDS_EMBEDDINGS' satisfies ErrorCode);
  });
});
