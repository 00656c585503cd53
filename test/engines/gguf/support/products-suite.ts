/** Matrix products of every kind, compared with dequantised weights in 64-bit floats. */
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { activationBytes, type KernelExports } from '../../../../src/engines/gguf/kernel-exports.js';
import { type KernelBuild, type Kernels, loadKernels } from '../../../../src/engines/gguf/load-kernels.js';
import { groupsOf, isFloatKind, type PackedWeights } from '../../../../src/engines/gguf/packed-kinds.js';
import { TENSOR_KINDS, type TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { WeightPacker } from '../../../../src/engines/gguf/weights.js';
import { place, wave } from './kernel-inputs.js';
import { dequantize, quantize } from './quantize.js';

const KINDS = [
  ...(['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'IQ4_NL', 'MXFP4', 'F16', 'BF16', 'F32'] as const),
  ...(['Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K', 'IQ4_XS'] as const),
] satisfies TensorKind[];
const isWhole = (kind: TensorKind): boolean => TENSOR_KINDS[kind].values === 256;

interface Matrix {
  weights: PackedWeights;
  /** The numbers that the file means. */
  numbers: Float32Array;
}

/** Rows as activations of 8 bits mean them: 32 columns with a scale of their own. */
function roundedTo8Bits(x: Float32Array): Float32Array {
  const rounded = x.slice();
  for (let at = 0; at < x.length; at += 32) {
    const block = x.subarray(at, at + 32);
    const scale = Math.fround(block.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127);
    const inverse = Math.fround(scale > 0 ? 1 / scale : 0);
    block.forEach((value, index) => (rounded[at + index] = Math.round(Math.fround(value * inverse)) * scale));
  }
  return rounded;
}

export function testProducts(build: KernelBuild): void {
  let kernels: Kernels;
  let packer: WeightPacker;
  /** As the file has them, whatever is the fastest here. */
  let both: Pick<KernelExports, 'multiply' | 'multiplyByRow'>;
  beforeAll(async () => {
    kernels = await loadKernels(build);
    const { exports } = await WebAssembly.instantiate(kernels.module, { env: { memory: kernels.memory.memory } });
    both = exports as unknown as KernelExports;
    packer = new WeightPacker(kernels);
  });

  function packed(kind: TensorKind, rows: number, columns: number, size = 1): Matrix {
    const bytes = quantize(
      kind,
      wave(rows * columns, 0.77).map((value) => value * size),
    );
    const writer = packer.begin({ name: 'test', kind, rows, columns });
    // Cut in odd places.
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 1999)
      writer.write(bytes.subarray(at, at + size));
    return { weights: writer.finish(), numbers: dequantize(kind, bytes) };
  }

  /** The product of some rows, by the groups between these bounds. */
  function product(
    { kind, at, rows, columns }: PackedWeights,
    x: Float32Array,
    {
      exact = false,
      bounds = [0, groupsOf(rows)],
      multiply = kernels.functions.multiply,
    }: { exact?: boolean; bounds?: readonly number[]; multiply?: KernelExports['multiply'] } = {},
  ): Float32Array {
    const { functions, memory } = kernels;
    const count = x.length / columns;
    const stride = groupsOf(rows) * 4;
    const from = place(kernels, x);
    const activations = memory.allocate(activationBytes(count, columns));
    const scratch = memory.allocate(16 * columns * 4);
    const out = memory.allocate(count * stride * 4);
    functions[exact || isFloatKind(kind) ? 'interleave' : 'quantize'](activations, from, count, columns);
    for (let part = 1; part < bounds.length; part++) {
      const [first, last] = [bounds[part - 1]!, bounds[part]!];
      if (exact) functions.multiplyExact(kind, out, stride, at, activations, count, columns, first, last, scratch);
      else multiply(kind, out, stride, at, activations, count, columns, first, last);
    }
    return memory.floats(out, count * stride).slice();
  }

  /** Largest difference from the product in 64-bit floats, in parts of what its terms add up to without their signs. */
  function error({ weights: { rows, columns }, numbers }: Matrix, x: Float32Array, found: Float32Array): number {
    let worst = 0;
    const stride = groupsOf(rows) * 4;
    for (let token = 0; token * columns < x.length; token++) {
      for (let row = 0; row < stride; row++) {
        let [sum, size] = [0, 1e-30];
        // Rows of padding are zeros.
        for (let column = 0; column < (row < rows ? columns : 0); column++) {
          const term = x[token * columns + column]! * numbers[row * columns + column]!;
          sum += term;
          size += Math.abs(term);
        }
        worst = Math.max(worst, Math.abs(found[token * stride + row]! - sum) / size);
      }
    }
    return worst;
  }

  describe.each(KINDS)('[W05] [W06] %s', (kind) => {
    const columns = isWhole(kind) ? 512 : 96;

    it('multiplies by the numbers of the file', () => {
      const matrix = packed(kind, 23, columns);
      for (const rows of [1, 2, 5, 8, 11]) {
        const x = wave(rows * columns, 0.31);
        // Weights that are floats meet activations of 32 bits.
        const activations = isFloatKind(matrix.weights.kind) ? x : roundedTo8Bits(x);
        expect(error(matrix, activations, product(matrix.weights, x))).toBeLessThan(2e-6);
      }
    });

    it('in the exact mode nothing is rounded to 8 bits', () => {
      const matrix = packed(kind, 23, columns);
      for (const rows of [1, 3, 9]) {
        const x = wave(rows * columns, 0.31);
        expect(error(matrix, x, product(matrix.weights, x, { exact: true }))).toBeLessThan(2e-6);
      }
    });

    // Scales of small weights are subnormal floats of 16 bits.
    it.each([1, 0.001, 0.00001])('gives each row back as the file means it, of numbers below %d', (size) => {
      const { weights, numbers } = packed(kind, 6, columns, size);
      const { functions, memory } = kernels;
      const out = memory.allocate(columns * 4);
      for (let row = 0; row < 6; row++) {
        functions.unpackRow(weights.kind, out, weights.at, row, columns);
        // A zero has no sign where codes have a minimum.
        const given = memory.floats(out, columns).map((value) => value + 0);
        expect(given).toEqual(numbers.subarray(row * columns, (row + 1) * columns).map((value) => value + 0));
      }
    });

    it('multiplies by small numbers of the file as exactly', () => {
      const matrix = packed(kind, 23, columns, 0.001);
      const x = wave(8 * columns, 0.31);
      const activations = isFloatKind(matrix.weights.kind) ? x : roundedTo8Bits(x);
      expect(error(matrix, activations, product(matrix.weights, x))).toBeLessThan(2e-6);
    });

    it('[W18] a row has the same bits in any company, and in any share of the groups', () => {
      const rows = 27;
      const { weights } = packed(kind, rows, columns);
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 19 }),
          fc.uniqueArray(fc.integer({ min: 1, max: groupsOf(rows) - 1 }), { maxLength: 3 }),
          fc.boolean(),
          fc.double({ min: 0.1, max: 3, noNaN: true }),
          (count, cuts, exact, step) => {
            const x = wave(count * columns, step);
            const bounds = [0, ...cuts.toSorted((a, b) => a - b), groupsOf(rows)];
            const { multiply, multiplyByRow } = both;
            const inOrder = (order: KernelExports['multiply']): number[] =>
              Array.from(product(weights, x, { exact, bounds, multiply: order }));
            const together = inOrder(multiply);
            const alone = Array.from({ length: count }, (_, row) =>
              Array.from(product(weights, x.subarray(row * columns, (row + 1) * columns), { exact })),
            );
            expect(together).toEqual(alone.flat());
            // Only the files for older V8 have it.
            expect(multiplyByRow ? inOrder(multiplyByRow) : together).toEqual(together);
          },
        ),
        { numRuns: 12 },
      );
    });
  });

  it('largest codes and activations do not overflow', () => {
    for (const kind of KINDS) {
      const columns = 256;
      // Every code is the largest or the smallest one, whatever its sign.
      for (const sign of [1, -1]) {
        const values = Float32Array.from({ length: 4 * columns }, (_, index) => (index % 16 === 0 ? -sign : sign));
        const bytes = quantize(kind, values);
        const writer = packer.begin({ name: 'test', kind, rows: 4, columns });
        writer.write(bytes);
        const matrix = { weights: writer.finish(), numbers: dequantize(kind, bytes) };
        for (const x of [new Float32Array(columns).fill(1), new Float32Array(columns).fill(-1)])
          expect(error(matrix, x, product(matrix.weights, x))).toBeLessThan(2e-6);
      }
    }
  });

  it('rows of zeros give zeros, tiny ones no infinities, and what is not a number stays so', () => {
    const { weights } = packed('Q4_0', 4, 32);
    expect(product(weights, new Float32Array(32))).toEqual(new Float32Array(4));
    for (const value of product(weights, new Float32Array(32).fill(1e-40))) expect(value).toBeCloseTo(0);
    expect(product(weights, new Float32Array(32).fill(Number.NaN))).toEqual(new Float32Array(4).fill(Number.NaN));
  });
}
