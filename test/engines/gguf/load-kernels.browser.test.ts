import { expect, it } from 'vitest';
import { chooseBuild } from '../../../src/engines/gguf/choose-build.js';
import { loadKernels } from '../../../src/engines/gguf/load-kernels.js';

it('takes a build with relaxed SIMD where the browser has it', async () => {
  expect(['relaxed', 'pairs']).toContain(await chooseBuild());
  expect((await loadKernels()).build).toBe(await chooseBuild());
});

it.each(['relaxed', 'pairs', 'plain'] as const)('build %s runs on shared memory', async (build) => {
  const { memory, functions } = await loadKernels(build, { shared: true });
  const x = memory.allocate(16);
  memory.floats(x, 4).set([1, 2, 3, 4]);
  functions.add(x, x, 4, 1);
  expect(Array.from(memory.floats(x, 4))).toEqual([2, 4, 6, 8]);
});
