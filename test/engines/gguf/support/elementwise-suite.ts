/** What happens between the products, compared with the same in 64-bit floats. */
import { beforeAll, expect, it } from 'vitest';
import { type KernelBuild, type Kernels, loadKernels } from '../../../../src/engines/gguf/load-kernels.js';
import { place, wave } from './kernel-inputs.js';

export function testElementwise(build: KernelBuild): void {
  let kernels: Kernels;
  beforeAll(async () => {
    kernels = await loadKernels(build);
  });

  it('normalizes rows', () => {
    const [rows, columns] = [3, 36];
    const [x, weight] = [wave(rows * columns), wave(columns, 0.7)];
    const out = kernels.memory.allocate(rows * columns * 4);
    kernels.functions.rmsNorm(out, place(kernels, x), place(kernels, weight), rows, columns, 1e-5);
    const found = kernels.memory.floats(out, rows * columns);
    for (let row = 0; row < rows; row++) {
      const of = x.subarray(row * columns, (row + 1) * columns);
      const mean = of.reduce((sum, value) => sum + value * value, 0) / columns;
      of.forEach((value, column) =>
        expect(found[row * columns + column]).toBeCloseTo((value / Math.sqrt(mean + 1e-5)) * weight[column]!, 5),
      );
    }
  });

  it('adds', () => {
    const [x, y] = [wave(40), wave(40, 0.3)];
    const at = place(kernels, x);
    kernels.functions.add(at, place(kernels, y), x.length, 1);
    expect(kernels.memory.floats(at, 40)).toEqual(x.map((value, index) => value + y[index]!));
    kernels.functions.add(at, place(kernels, y), x.length, 0.5);
    kernels.functions.scale(at, x.length, 4);
    expect(kernels.memory.floats(at, 40)).toEqual(
      x.map((value, index) => 4 * Math.fround(Math.fround(value + y[index]!) + 0.5 * y[index]!)),
    );
  });

  it('normalizes rows around their mean', () => {
    const [rows, columns] = [3, 36];
    const [x, weight, bias] = [wave(rows * columns), wave(columns, 0.7), wave(columns, 0.2)];
    const out = kernels.memory.allocate(rows * columns * 4);
    const [weightAt, biasAt] = [place(kernels, weight), place(kernels, bias)];
    kernels.functions.layerNorm(out, place(kernels, x), weightAt, biasAt, rows, columns, 1e-5);
    const found = kernels.memory.floats(out, rows * columns);
    for (let row = 0; row < rows; row++) {
      const of = Array.from(x.subarray(row * columns, (row + 1) * columns));
      const mean = of.reduce((sum, value) => sum + value, 0) / columns;
      const variance = of.reduce((sum, value) => sum + (value - mean) ** 2, 0) / columns;
      of.forEach((value, column) => {
        const expected = ((value - mean) / Math.sqrt(variance + 1e-5)) * weight[column]! + bias[column]!;
        expect(found[row * columns + column]).toBeCloseTo(expected, 5);
      });
    }
  });

  it('passes through GELU', () => {
    // By a table of the normal distribution.
    const known = [
      [0, 0],
      [1, 0.8413447],
      [-1, -0.1586553],
      [0.5, 0.3457312],
      [-2, -0.0455003],
      [3, 2.9959503],
      [20, 20],
      [-20, 0],
    ] as const;
    const x = place(
      kernels,
      Float32Array.from(known, ([value]) => value),
    );
    kernels.functions.gelu(x, known.length);
    for (const [index, value] of kernels.memory.floats(x, known.length).entries())
      expect(Math.abs(value - known[index]![1])).toBeLessThan(1e-6);
  });

  it('bends numbers below a bound', () => {
    const x = Float32Array.of(0, 1e-3, -0.5, 4, -29, 80, 3000, -3000);
    const at = place(kernels, x);
    kernels.functions.cap(at, x.length, 30);
    for (const [index, value] of kernels.memory.floats(at, x.length).entries())
      expect(Math.abs(value - 30 * Math.tanh(x[index]! / 30))).toBeLessThan(5e-6);
  });

  const silu = (x: number): number => x / (1 + Math.exp(-x));
  const gelu = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

  it.each([
    ['siluMul', silu],
    ['geluMul', gelu],
  ] as const)('gates: %s', (name, activation) => {
    const [rows, columns] = [2, 12];
    // From far below to far above 0.
    const gateUp = wave(rows * 2 * columns).map((value, index) => value * 3 ** (index % 6));
    const out = kernels.memory.allocate(rows * columns * 4);
    kernels.functions[name](out, place(kernels, gateUp), rows, columns);
    const found = kernels.memory.floats(out, rows * columns);
    for (let index = 0; index < rows * columns; index++) {
      const at = Math.floor(index / columns) * 2 * columns + (index % columns);
      const [gate, up] = [gateUp[at]!, gateUp[at + columns]!];
      const expected = activation(gate) * up;
      expect(Math.abs(found[index]! - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
    }
  });
}
