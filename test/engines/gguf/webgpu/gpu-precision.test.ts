/** A trained model on a GPU beside the kernels in 32 bits. Takes minutes in software: `npm run test:webgpu`. */
import { describe, expect, it } from 'vitest';
import { gpuOfFile } from '../support/gpu-of-file.js';
import { farthest, likeliest, meanDifference } from '../support/log-probabilities.js';
import { logitsOfFile } from '../support/logits-of-file.js';
import { openTestDevice } from '../support/gpu-device.js';
import { softwareGpu } from '../support/software-gpu.js';
import { tinyChatFile, tinyChatPrompts } from '../support/tiny-chat-cases.js';

const gpu = process.env['LONG_RUNS'] ? await softwareGpu() : undefined;

describe.skipIf(!gpu)('[W64] tiny-chat on a GPU in software', () => {
  it.each([
    [16, 0.03, 0.003],
    [32, 0.001, 0.0001],
  ] as const)(
    'with keys and values of %i bits gives the log-probabilities of 32 bits on WASM, and the same next tokens',
    async (precision, most, mean) => {
      const { device } = await openTestDevice(gpu!);
      const file = tinyChatFile('bundled');
      const model = await gpuOfFile(device, file, { precision });
      for (const prompt of tinyChatPrompts().prompts.slice(0, 3)) {
        const [ours, theirs] = [await model.read(prompt), await logitsOfFile(file, prompt)];
        for (const [row, logits] of ours.entries()) {
          expect(farthest(logits, theirs[row]!)).toBeLessThan(most);
          expect(likeliest(logits)).toBe(likeliest(theirs[row]!));
        }
        expect(meanDifference(ours, theirs)).toBeLessThan(mean);
      }
      device.destroy();
    },
    600_000,
  );
});
