/** Kinds without kernels of their own, compared with numbers of another reader (NumPy, outside), which gives llama.cpp's. */
import { describe, expect, it } from 'vitest';
import { TENSOR_KINDS, type TensorKind } from '../../../src/engines/gguf/file/tensor-kinds.js';
import { repackedAs } from '../../../src/engines/gguf/packed-kinds.js';
import { repackRare } from '../../../src/engines/gguf/rare-kinds/gguf-rare-kinds.js';
import { farthest } from './support/log-probabilities.js';
import { logitsOfFile } from './support/logits-of-file.js';
import { dequantize } from './support/quantize.js';
import recorded from './support/rare-kinds.json' with { type: 'json' };
import { someTokens } from './support/tiny-decoder.js';
import { tinyFile } from './support/tiny-file.js';
import type { TensorInput } from './support/write-gguf.js';

const EXPECTED: Readonly<Record<string, { first: readonly number[]; sum: number; size: number }>> = recorded;
const KINDS = Object.keys(EXPECTED) as TensorKind[];

/** Where a block has its scale. */
const SCALE: Readonly<Partial<Record<TensorKind, number>>> = {
  Q1_0: 0,
  Q2_0: 0,
  TQ1_0: 52,
  TQ2_0: 64,
  IQ1_S: 0,
  IQ2_XXS: 0,
  IQ2_XS: 0,
  IQ2_S: 0,
  IQ3_XXS: 0,
  IQ3_S: 0,
};

/** Blocks of drawn bits with a scale of a usual size. */
function blocksOf(kind: TensorKind, count: number): Uint8Array<ArrayBuffer> {
  const { id, bytes } = TENSOR_KINDS[kind];
  let state: number = id;
  const all = Uint8Array.from({ length: count * bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  for (let block = 0; block < count; block++) {
    const at = block * bytes;
    const scale = SCALE[kind];
    if (scale !== undefined) all.set([0x12 + (block % 2), 0x2c], at + scale);
    if (kind === 'NVFP4') for (let part = 0; part < 4; part++) all[at + part] = 0x30 + 5 * part + (block % 2);
    if (kind === 'IQ1_M')
      for (const [word, top] of [2, 1, 12, 2].entries())
        all[at + 49 + 2 * word] = (all[at + 49 + 2 * word]! & 15) | (top << 4);
  }
  return all;
}

function valuesOf(kind: TensorKind, blocks: Uint8Array, isExact: boolean): Float32Array {
  const as = repackedAs(kind, isExact)!;
  return dequantize(as, repackRare({ kind, as, ...TENSOR_KINDS[kind] }, blocks));
}

describe('[W32] a kind without kernels of its own', () => {
  it.each(KINDS.flatMap((kind) => [true, false].map((isExact) => [kind, isExact] as const)))(
    '%s has the numbers of its blocks; exactly: %s',
    (kind, isExact) => {
      const values = valuesOf(kind, blocksOf(kind, 2), isExact);
      const rounding = isExact ? 2e-6 : 5e-4;
      const { first, sum, size } = EXPECTED[kind]!;
      expect(values).toHaveLength(2 * TENSOR_KINDS[kind].values);
      for (const [index, value] of first.entries())
        expect(Math.abs(values[index]! - value)).toBeLessThan(rounding * Math.abs(value) + 1e-6);
      const found = values.reduce((all, value, index) => all + value * ((index % 17) + 1), 0);
      expect(Math.abs(found - sum)).toBeLessThan(rounding * size * 9 + 1e-4);
      expect(Math.abs(values.reduce((all, value) => all + Math.abs(value), 0) - size)).toBeLessThan(
        rounding * size + 1e-4,
      );
    },
  );

  it.each(['IQ2_XXS', 'IQ2_S', 'TQ1_0', 'Q1_0'] as const)('%s is computed with in a model', async (kind) => {
    const name = 'blk.0.ffn_down.weight';
    const blocks = blocksOf(kind, (256 * 64) / TENSOR_KINDS[kind].values);
    const shape = [256, 64];
    const file = (tensor: TensorInput): Uint8Array => tinyFile({ inner: 256, kind: 'F32', tensors: [tensor] });
    const tokens = someTokens(20);
    const found = await logitsOfFile(file({ name, shape, kind, data: blocks }), tokens);
    const floats = await logitsOfFile(file({ name, shape, kind: 'F32', data: valuesOf(kind, blocks, true) }), tokens);
    expect(Math.max(...found.map((logits, row) => farthest(logits, floats[row]!)))).toBeLessThan(1e-4);
  });
});
