/** Attention over pages of keys and values, compared with the same in 64-bit floats. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  attentionUnits,
  headBytes,
  type KvPrecision,
  PAGE_POSITIONS,
} from '../../../../src/engines/gguf/kernel-exports.js';
import { pagesOf } from '../../../../src/engines/gguf/kv-pages.js';
import { type KernelBuild, type Kernels, loadKernels } from '../../../../src/engines/gguf/load-kernels.js';
import { place, wave } from './kernel-inputs.js';

/** Rows of queries, keys and values. The last ones are asked for. */
interface Given {
  heads: number;
  kvHeads: number;
  size: number;
  positions: number;
  rows: number;
  scale: number;
  numbers: Float32Array;
}

export function testAttention(build: KernelBuild): void {
  let kernels: Kernels;
  beforeAll(async () => {
    kernels = await loadKernels(build);
  });

  function attend(precision: KvPrecision, given: Given): Float32Array {
    const { heads, kvHeads, size, positions, rows, scale, numbers } = given;
    const { functions, memory } = kernels;
    const stride = (heads + 2 * kvHeads) * size;
    const bytes = 2 * kvHeads * headBytes(precision, size);
    const pages = Array.from({ length: pagesOf(positions) }, () => memory.allocate(bytes));
    const table = memory.allocate(pages.length * 4);
    const [kvCells, spans] = [memory.allocate(positions * 8), memory.allocate(16)];
    const out = memory.allocate(rows * heads * size * 4);
    const scratch = memory.allocate((4 * (positions + 16) + 2 * size) * 4);
    const qkv = place(kernels, numbers);
    const first = positions - rows;
    memory.integers(table, pages.length).set(pages);
    memory.integers(spans, 4).set([0, rows, first, table]);
    const cells = Array.from({ length: positions }, (_, position) => [
      pages[Math.floor(position / PAGE_POSITIONS)]!,
      position % PAGE_POSITIONS,
    ]);
    memory.integers(kvCells, positions * 2).set(cells.flat());
    const [keys, values] = [heads * size, (heads + kvHeads) * size];
    functions.storeHeads(precision, qkv, stride, positions, keys, values, kvHeads, size, kvCells, 0);
    const [from, units] = [qkv + first * stride * 4, attentionUnits(rows, heads, kvHeads)];
    functions.attend(precision, out, from, stride, heads, kvHeads, size, scale, 0, 0, spans, 0, 0, scratch, 0, units);
    return memory.floats(out, rows * heads * size).slice();
  }

  function expected({ heads, kvHeads, size, positions, rows, scale, numbers }: Given): number[] {
    const stride = (heads + 2 * kvHeads) * size;
    const at = (row: number, head: number): Float32Array =>
      numbers.subarray(row * stride + head * size, row * stride + (head + 1) * size);
    return Array.from({ length: rows * heads }, (_, index) => {
      const row = positions - rows + Math.floor(index / heads);
      const query = at(row, index % heads);
      const group = Math.floor((index % heads) / (heads / kvHeads));
      const before = Array.from({ length: row + 1 }, (__, position) => position);
      const scores = before.map(
        (position) => scale * at(position, heads + group).reduce((sum, key, i) => sum + key * query[i]!, 0),
      );
      const top = Math.max(...scores);
      const factors = scores.map((score) => Math.exp(score - top));
      const all = factors.reduce((sum, factor) => sum + factor, 0);
      return Array.from(
        { length: size },
        (__, i) =>
          before.reduce((sum, position) => sum + factors[position]! * at(position, heads + kvHeads + group)[i]!, 0) /
          all,
      );
    }).flat();
  }

  const farthest = (found: Float32Array, wanted: readonly number[]): number =>
    Math.max(...found.map((value, index) => Math.abs(value - wanted[index]!)));

  describe.each([
    [8, 0.02],
    [16, 1e-3],
    [32, 1e-5],
  ] as const)('attention, keys and values of %d bits', (precision, most) => {
    it.each([
      { heads: 6, kvHeads: 2, size: 64, rows: 5 },
      { heads: 4, kvHeads: 1, size: 256, rows: 1 },
      { heads: 2, kvHeads: 2, size: 24, rows: 3 },
    ])('of $heads heads with $kvHeads keys of $size numbers', (shape) => {
      const positions = 199;
      const numbers = wave(positions * (shape.heads + 2 * shape.kvHeads) * shape.size, 0.37);
      // What the queries look at changes a lot from page to page.
      for (const scale of [shape.size ** -0.5, 1]) {
        const given = { ...shape, positions, scale, numbers };
        expect(farthest(attend(precision, given), expected(given))).toBeLessThan(most);
      }
    });

    it('with the greatest sums that there can be', () => {
      const [positions, size] = [70, 256];
      // Of each row query, key and value are all alike; the keys of later rows are closer.
      const numbers = Float32Array.from({ length: positions * 3 * size }, (_, index) => {
        const row = Math.floor(index / (3 * size));
        return Math.floor(index / size) % 3 === 1 ? row / positions : row % 2 === 0 ? 1 : -1;
      });
      for (const sign of [1, -1]) {
        const given = { heads: 1, kvHeads: 1, size, positions, rows: 4, scale: sign / 64, numbers };
        expect(farthest(attend(precision, given), expected(given))).toBeLessThan(most);
      }
    });
  });
}
