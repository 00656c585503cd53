import { describe, expect, it } from 'vitest';
import { loadKernels } from '../../../../src/model/engines/gguf/load-kernels.js';
import { packedBytes, packedKindOf } from '../../../../src/model/engines/gguf/packed-kinds.js';
import type { TensorKind } from '../../../../src/model/engines/gguf/file/tensor-kinds.js';
import { WeightPacker } from '../../../../src/model/engines/gguf/weights.js';
import { testProducts } from './support/products-suite.js';

describe('without relaxed SIMD', () => {
  testProducts('plain');
});

describe('WeightPacker', () => {
  it('refuses kinds and shapes that are not computed with, by name', async () => {
    const packer = new WeightPacker(await loadKernels('plain'));
    expect(() => packer.begin({ name: 'blk.0.odd', kind: 'IQ1_S', rows: 4, columns: 256 })).toThrow(
      /blk\.0\.odd.*IQ1_S/,
    );
    expect(() => packer.begin({ name: 'blk.0.odd', kind: 'F32', rows: 4, columns: 40 })).toThrow(/blk\.0\.odd.*40/);
  });

  it('takes exactly the bytes of a matrix', async () => {
    const kernels = await loadKernels('plain');
    const writer = new WeightPacker(kernels).begin({ name: 'w', kind: 'Q8_0', rows: 3, columns: 32 });
    writer.write(new Uint8Array(3 * 34 - 1));
    expect(() => writer.finish()).toThrow(RangeError);
    writer.write(new Uint8Array(1));
    expect(writer.finish()).toMatchObject({ rows: 3, columns: 32 });
    expect(() => writer.write(new Uint8Array(34))).toThrow(RangeError);
  });

  it('weights need little more memory than in the file', () => {
    const perWeight = (kind: TensorKind): number => (packedBytes(packedKindOf(kind)!, 1024, 1024) * 8) / 1024 ** 2;
    expect([perWeight('Q4_0'), perWeight('Q4_K'), perWeight('Q6_K'), perWeight('Q8_0'), perWeight('F16')]).toEqual([
      5, 4.75, 8.625, 9, 16,
    ]);
    const others = ['Q2_K', 'Q3_K', 'Q5_0', 'Q5_1', 'IQ4_NL', 'IQ4_XS', 'MXFP4'] as const;
    expect(others.map(perWeight)).toEqual([5.25, 4.625, 10, 10, 9, 9, 9]);
  });
});
