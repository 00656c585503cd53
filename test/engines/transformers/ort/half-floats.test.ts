import { describe, expect, it } from 'vitest';
import { floatsToHalves, halfToFloats } from '../../../../src/engines/transformers/ort/half-floats.js';
import { boundedBlock } from '../../../../src/engines/transformers/text/transformers-text-engine.js';

describe('halfToFloats', () => {
  it.each([
    [0x0000, 0],
    [0x8000, -0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7e00, NaN],
  ])('reads %i as %d', (half, value) => {
    expect(halfToFloats(Uint16Array.of(half))).toEqual(Float32Array.of(value));
  });
});

describe('floatsToHalves', () => {
  it('gives every half back', () => {
    const halves = Uint16Array.from({ length: 65_536 }, (_, half) => half).filter((half) => (half & 0x7fff) <= 0x7c00);
    expect(floatsToHalves(halfToFloats(halves))).toEqual(halves);
  });

  it.each([
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [65_519, 0x7bff],
    [65_520, 0x7c00],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -25, 0x0001],
    [-(2 ** -26), 0x8000],
    [NaN, 0x7e00],
  ])('rounds %d to %i', (value, half) => {
    expect(floatsToHalves(Float32Array.of(value))[0]).toBe(half);
  });
});

describe('boundedBlock', () => {
  it.each([
    [512, 4096, 512],
    [512, 49_152, 320],
    [512, 151_936, 64],
    [64, 49_152, 64],
    [64, 1_000_000, 64],
  ])('of %i tokens at a vocabulary of %i: %i', (block, vocabulary, expected) => {
    expect(boundedBlock(block, vocabulary)).toBe(expected);
  });
});
