/** Which experts rows take, on a GPU in software, where shaders take long to compile: `npm run test:webgpu`. */
import { describe, expect, it } from 'vitest';
import { GpuMemory } from '../../../../src/engines/gguf/webgpu/gpu-memory.js';
import { Pipelines } from '../../../../src/engines/gguf/webgpu/pipelines.js';
import { routeShader } from '../../../../src/engines/gguf/webgpu/shaders/route.js';
import { NONE } from '../../../../src/engines/gguf/webgpu/shaders/sizes.js';
import { randomNumbers } from '../support/made-architectures.js';
import { openTestDevice } from '../support/gpu-device.js';
import { softwareGpu } from '../support/software-gpu.js';

const gpu = process.env['LONG_RUNS'] ? await softwareGpu() : undefined;

const [ROWS, COUNT, USED, STRIDE] = [5, 130, 8, 136];
/** Chosen ones, and the one that all rows take. */
const SLOTS = USED + 1;
const OPENING = 132;

type Gating = 'softmax' | 'sigmoid';
const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** Of each row ids, then weights. */
function expectedOf(gating: Gating, scores: Float32Array, bias: Float32Array | undefined): [number[], number[]][] {
  return Array.from({ length: ROWS }, (_, row) => {
    const own = [...scores.subarray(row * STRIDE, row * STRIDE + COUNT)];
    const values = gating === 'sigmoid' ? own.map(sigmoid) : own.map((score) => Math.exp(score));
    const worth = values.map((value, expert) => value + (bias?.[expert] ?? 0));
    const ids = [...worth.keys()].toSorted((a, b) => worth[b]! - worth[a]! || a - b).slice(0, USED);
    const sum = ids.reduce((all, id) => all + values[id]!, 0);
    return [
      [...ids, COUNT],
      [...ids.map((id) => values[id]! / sum), sigmoid(scores[row * STRIDE + OPENING]!)],
    ];
  });
}

describe.skipIf(!gpu)('[W64] the experts of each row', () => {
  it.each(['sigmoid', 'softmax'] as const)('by %s, of equal ones the first', async (gating) => {
    const { device } = await openTestDevice(gpu!);
    const memory = new GpuMemory(device);
    const random = randomNumbers();
    // Few values, so that many are equal.
    const scores = Float32Array.from({ length: ROWS * STRIDE }, () => Math.round(random.next().value * 12) / 4);
    const bias = Float32Array.from({ length: COUNT }, (_, expert) => (expert % 3) / 4);
    const hasBias = gating === 'sigmoid';
    const [x, vectors, plan] = [scores, bias, bias].map((numbers) => {
      const buffer = memory.buffer(numbers.byteLength);
      memory.write(buffer, 0, numbers);
      return buffer;
    });
    const routes = memory.buffer(ROWS * SLOTS * 8);
    const parameters = memory.buffer(256, 'uniform');
    memory.write(parameters, 0, Uint32Array.of(COUNT, USED, STRIDE, hasBias ? 0 : NONE, NONE, SLOTS, OPENING, 0));
    const pipelines = new Pipelines(device);
    const pipeline = pipelines.get('norm', 'choose experts', routeShader({ gating }));
    await pipeline.compile();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline.made!);
    pass.setBindGroup(0, pipelines.bind('norm', [x, routes, vectors, plan, parameters]), [0]);
    pass.dispatchWorkgroups(ROWS);
    pass.end();
    const staging = memory.buffer(routes.size, 'staging');
    encoder.copyBufferToBuffer(routes, 0, staging, 0, routes.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    const given = new Uint32Array(staging.getMappedRange().slice(0));
    for (const [row, [ids, weights]] of expectedOf(gating, scores, hasBias ? bias : undefined).entries()) {
      const at = row * SLOTS * 2;
      expect([...given.subarray(at, at + SLOTS)]).toEqual(ids);
      const found = new Float32Array(given.buffer, (at + SLOTS) * 4, SLOTS);
      for (const [slot, weight] of weights.entries()) expect(found[slot]).toBeCloseTo(weight, 6);
    }
    device.destroy();
  });
});
