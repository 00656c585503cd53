/** In which precision a model computes, and what it says of it. */
import { describe, expect, it } from 'vitest';
import { logitsOfFile } from './support/logits-of-file.js';
import { referenceLogits } from './support/reference-decoder.js';
import { referenceOf } from './support/reference-of-file.js';
import { someTokens } from './support/tiny-decoder.js';
import { tinyContent, tinyFile, type TinyFile } from './support/tiny-file.js';
import { tinyModel } from './support/tiny-model.js';
import type { TensorKind } from '../../../src/engines/gguf/file/tensor-kinds.js';

const SIZES = { width: 256, inner: 256 };
const INTEGERS = [
  ...(['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'] as const),
  ...(['IQ4_NL', 'IQ4_XS', 'MXFP4'] as const),
];
const FLOATS = ['F16', 'BF16', 'F32'] as const;

/** Largest difference of logits from those of the file's numbers in 64-bit floats. */
async function farthest(options: TinyFile, exact: boolean): Promise<number> {
  const tokens = someTokens(6);
  const found = await logitsOfFile(tinyFile(options), tokens, { exact });
  const wanted = referenceLogits(referenceOf(tinyContent(options)), tokens);
  const differences = found.flatMap((row, index) =>
    [...row].map((logit, token) => Math.abs(logit - wanted[index]![token]!)),
  );
  return Math.max(...differences);
}

describe('[W06] the `dtype`', () => {
  it.each([...INTEGERS, ...FLOATS])('%s: what most weights have, and `fp32` where that is wanted', async (kind) => {
    const file = { ...SIZES, kind };
    expect((await tinyModel(file, { dtype: 'auto' })).info.dtype).toBe(kind.toLowerCase());
    expect((await tinyModel(file, { dtype: 'fp32' })).info.dtype).toBe('fp32');
  });

  it('of a mixed file is that of most weights, whatever the file is called', async () => {
    const mixed = (name: string): TensorKind => {
      if (name === 'token_embd.weight') return 'Q6_K';
      return /attn_v|ffn_down/.test(name) ? 'Q5_K' : 'Q4_K';
    };
    expect((await tinyModel({ ...SIZES, kind: mixed })).info.dtype).toBe('q4_k');
  });

  it.each(INTEGERS)('%s: `auto` rounds activations, `fp32` does not', async (kind) => {
    const file = { ...SIZES, kind };
    expect(await farthest(file, true)).toBeLessThan(2e-4);
    const rounded = await farthest(file, false);
    expect(rounded).toBeGreaterThan(1e-3);
    expect(rounded).toBeLessThan(0.5);
  });

  it.each(FLOATS)('%s: `auto` rounds nothing below 16 bits', async (kind) => {
    expect(await farthest({ ...SIZES, kind }, false)).toBeLessThan(0.02);
  });
});
