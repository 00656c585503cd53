import { AutoFeatureExtractor } from '@huggingface/transformers';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFourierTransform } from '../../../../src/engines/transformers/speech/fourier-transform.js';
import { createLogMel } from '../../../../src/engines/transformers/speech/log-mel.js';

const model = new URL('../../../../public/models/tiny-whisper/', import.meta.url);

describe('createFourierTransform', () => {
  it.each([1, 8, 15, 400])('agrees with the definition for length %i', (size) => {
    const real = Float64Array.from({ length: size }, (_, i) => Math.sin(i * i));
    const imaginary = Float64Array.from({ length: size }, (_, i) => Math.cos(3 * i));
    const expected = Array.from({ length: size }, (_, k) => {
      let sum = 0;
      for (let i = 0; i < size; i++) {
        const angle = (-2 * Math.PI * i * k) / size;
        sum += real[i]! * Math.cos(angle) - imaginary[i]! * Math.sin(angle);
      }
      return sum;
    });
    createFourierTransform(size).transform(real, imaginary);
    for (const [k, value] of expected.entries()) expect(real[k]).toBeCloseTo(value, 8);
  });
});

describe('createLogMel', () => {
  it('equals the features of transformers.js', async () => {
    const extractor = await AutoFeatureExtractor.from_pretrained(fileURLToPath(model));
    const config = extractor.config as { mel_filters: number[][]; [key: string]: unknown };
    const logMel = createLogMel({
      windowSamples: 400,
      hopSamples: 160,
      frames: 1200,
      filters: config.mel_filters,
    });
    const wav = readFileSync(new URL('clips/en-2.wav', model));
    const pcm = wav.subarray(44);
    const samples = Float32Array.from({ length: pcm.length >> 1 }, (_, i) => pcm.readInt16LE(i * 2) / 32768);
    const mine = logMel(samples);
    const { input_features: theirs } = (await extractor(samples)) as { input_features: { data: Float32Array } };
    expect(mine).toHaveLength(theirs.data.length);
    let worst = 0;
    for (const [i, value] of mine.entries()) worst = Math.max(worst, Math.abs(value - theirs.data[i]!));
    expect(worst).toBeLessThan(1e-4);
  });
});
