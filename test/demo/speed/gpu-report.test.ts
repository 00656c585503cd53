import { expect, it } from 'vitest';
import { gpuReport } from '../../../demo/speed/gpu-report.js';
import { madeWeights } from '../../../demo/speed/made-weights.js';
import { headerOf, MODEL_SIZES } from '../../../demo/speed/model-sizes.js';
import { recordDispatches } from '../../../demo/speed/recorded-dispatches.js';
import { countingDevice } from '../../engines/gguf/support/counting-device.js';

it('says which GPU it was, what it did of its bandwidth, and where the time went', () => {
  const report = gpuReport({
    adapter: 'RTX 9000, nvidia',
    where: 'A browser',
    isSimulated: false,
    hasTimestamps: true,
    read: 100e9,
    copy: 90e9,
    models: [
      {
        name: '1.5B Q4_K_M',
        weightBytes: 1e9,
        tunings: {
          chosen: { lanes: 32, halves: false },
          row: [
            { lanes: 16, seconds: 0.008 },
            { lanes: 32, seconds: 0.006 },
          ],
          tile: [{ halves: true, seconds: 0.01 }],
        },
        decode: 50,
        eight: 200,
        prompt: 1500,
        far: { positions: 3000, decode: 40, prompt: 1400 },
        shares: [
          { shader: '1 × Q4_K each', dispatches: 56, ms: 15 },
          { shader: 'attend', dispatches: 28, ms: 5 },
        ],
      },
    ],
  });
  expect(report).toContain('GPU: RTX 9000, nvidia\n');
  expect(report).toMatch(/100 GB\/s read by a shader, 90\.0 GB\/s/);
  expect(report).toMatch(/\| 1\.5B Q4_K_M +\| 50\.0 +\| 50 % +\| 200 +\| 1500 +\| 40\.0 \(3000\) +\| 1400 +\|/);
  expect(report).toMatch(/\| 1 × Q4_K each +\| 56 +\| 15\.000 +\| 75 % +\|/);
  expect(report).toContain('1.5B Q4_K_M: shaders with 32 sums a row of weights, codes of 32 bits');
  expect(report).toContain('(one answer: 16 sums 8.00 ms, 32 sums 6.00 ms; a prompt: codes of 16 bits 10.00 ms)');
  expect(report).not.toContain('simulated');
});

it('makes weights of a kind once, in whole blocks, and notes what a pass dispatches', async () => {
  const header = headerOf(MODEL_SIZES['small Q4_0']);
  const read = madeWeights(header);
  const { offset, bytes } = header.tensors[0]!;
  const whole = await read(offset, offset + bytes);
  expect(await read(offset, offset + 180)).toEqual(whole.subarray(0, 180));
  const { device } = countingDevice();
  const found = await recordDispatches(device, async () => {
    const pass = device.createCommandEncoder().beginComputePass();
    pass.setPipeline({ label: 'one' } as GPUComputePipeline);
    pass.setBindGroup(0, {} as GPUBindGroup, [256]);
    pass.dispatchWorkgroups(3, 2);
    pass.end();
  });
  expect(found).toMatchObject([{ pipeline: { label: 'one' }, offsets: [256], size: [3, 2, 1] }]);
});
