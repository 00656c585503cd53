import { describe, expect, it } from 'vitest';
import { loadKernels, startKernels } from '../../../src/engines/gguf/load-kernels.js';
import { withSharedMemory } from '../../../src/engines/gguf/shared-memory.js';
import { place, wave } from './support/kernel-inputs.js';

describe('loadKernels', () => {
  it('two instances compute on one shared memory', async () => {
    const kernels = await loadKernels('plain', { shared: true });
    expect(kernels.memory.memory.buffer).toBeInstanceOf(SharedArrayBuffer);
    const [x, y] = [place(kernels, wave(8)), place(kernels, wave(8, 0.3))];
    const other = await startKernels(kernels.module, kernels.memory.memory);
    other.add(x, y, 8, 1);
    expect(kernels.memory.floats(x, 8)).toEqual(wave(8).map((value, index) => value + wave(8, 0.3)[index]!));
  });

  it('changes nothing but a program that imports one memory', () => {
    expect(() => withSharedMemory(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).toThrow(TypeError);
  });
});
