import { describe, expect, it } from 'vitest';
import { loadKernels } from '../../../src/engines/gguf/load-kernels.js';
import { PackedKind, packedBytes, packedKindOf } from '../../../src/engines/gguf/packed-kinds.js';
import { TENSOR_KINDS, type TensorKind } from '../../../src/engines/gguf/file/tensor-kinds.js';
import { WeightPacker } from '../../../src/engines/gguf/weights.js';
import { testProducts } from './support/products-suite.js';

describe('without relaxed SIMD', () => {
  testProducts('plain');
});

describe('WeightPacker', () => {
  it('refuses kinds and shapes that are not computed with, by name', async () => {
    const packer = new WeightPacker(await loadKernels('plain'));
    expect(() => packer.begin({ name: 'blk.0.odd', kind: 'I8', rows: 4, columns: 256 })).toThrow(/blk\.0\.odd.*I8/);
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

  it.each(Object.keys(PackedKind) as TensorKind[])(
    '[W08] %s needs the memory of its file, at 5 and 6 bits a byte',
    (kind) => {
      const { values, bytes } = TENSOR_KINDS[kind];
      const bits = { Q5_0: 5, Q5_1: 5, Q5_K: 5, Q6_K: 6 }[kind as string] ?? 8;
      const inFile = bytes + (values * (8 - bits)) / 8;
      expect(packedBytes(packedKindOf(kind)!, 1024, 1024)).toBeLessThan(1.04 * (1024 ** 2 / values) * inFile);
    },
  );
});
