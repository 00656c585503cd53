import { describe, expect, it } from 'vitest';
import { type TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { dequantize, fromHalf, quantize, toHalf } from './quantize.js';

/** Largest error of a value, in parts of the largest value of its block of 256. */
const WORST: Partial<Record<TensorKind, number>> = {
  F32: 0,
  F16: 0.0005,
  BF16: 0.004,
  Q8_0: 0.005,
  Q4_0: 0.13,
  Q4_1: 0.07,
  Q5_0: 0.065,
  Q5_1: 0.035,
  Q6_K: 0.04,
  Q5_K: 0.06,
  Q4_K: 0.1,
  Q3_K: 0.3,
  Q2_K: 0.4,
  IQ4_NL: 0.11,
  IQ4_XS: 0.14,
  MXFP4: 0.28,
};

/** Values between -1 and 1 that repeat: a line of bumps. */
const values = Float32Array.from({ length: 1024 }, (_, index) => Math.sin(index * 1.7) * Math.cos(index * 0.013));

describe('quantize', () => {
  it.each(Object.entries(WORST))('%s keeps values', (kind, worst) => {
    const bytes = quantize(kind as TensorKind, values);
    const back = dequantize(kind as TensorKind, bytes);
    const error = values.reduce((most, value, index) => Math.max(most, Math.abs(value - back[index]!)), 0);
    expect(error).toBeLessThanOrEqual(worst);
    expect(quantize(kind as TensorKind, back)).toHaveLength(bytes.length);
  });

  it('rounds 16-bit floats to the nearest, ties to even', () => {
    for (let bits = 0; bits < 0x7c00; bits++) expect(toHalf(fromHalf(bits))).toBe(bits);
    expect([1 + 2 ** -11, 1 + 3 * 2 ** -11, -2, 65_519, 65_520, 2 ** -25, 3 * 2 ** -25].map(toHalf)).toEqual([
      0x3c00, 0x3c02, 0xc000, 0x7bff, 0x7c00, 0, 2,
    ]);
  });
});
