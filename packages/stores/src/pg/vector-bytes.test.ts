import { describe, expect, it } from 'vitest';
import { readVectorBytes, vectorArrayBytes, vectorBytes } from './vector-bytes.ts';

describe('vectors in the binary form of pgvector', () => {
  it('is the length, a zero, and the numbers, all big-endian', () => {
    expect(vectorBytes(Float32Array.of(1, -2)).toString('hex')).toBe('000200003f800000c0000000');
    expect(vectorBytes(new Float32Array(0)).toString('hex')).toBe('00000000');
    const numbers = Float32Array.of(1e-38, 3.4e38, -0.1, 0);
    expect(readVectorBytes(vectorBytes(numbers))).toEqual(numbers);
  });

  it('is an array of one dimension, with or without nulls', () => {
    expect(vectorArrayBytes([Float32Array.of(1)], 77).toString('hex')).toBe(
      ['00000001', '00000000', '0000004d', '00000001', '00000001', '00000008', '00010000', '3f800000'].join(''),
    );
    expect(vectorArrayBytes([undefined, Float32Array.of(1)], 77).toString('hex')).toBe(
      ['00000001', '00000001', '0000004d', '00000002', '00000001', 'ffffffff', '00000008', '00010000', '3f800000'].join(''),
    );
  });
});
