import { describe, expect, it } from 'vitest';
import { createResampler } from '../../src/sound/resample-audio.js';

function resampleAudio(samples: Float32Array, from: number, to: number): Float32Array {
  const resampler = createResampler(from, to);
  return Float32Array.of(...resampler.push(samples), ...resampler.end());
}

const tone = (hertz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: rate * seconds }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));

/** Largest difference away from the ends, where the filter has only half of its input. */
function worstDifference(actual: Float32Array, expected: Float32Array, margin = 200): number {
  let worst = 0;
  for (let i = margin; i < expected.length - margin; i++) worst = Math.max(worst, Math.abs(actual[i]! - expected[i]!));
  return worst;
}

describe('createResampler', () => {
  it.each([8000, 11_025, 22_050, 44_100, 48_000, 96_000, 22_051])('keeps a tone from %i Hz as it is', (rate) => {
    const output = resampleAudio(tone(1000, rate), rate, 16_000);
    expect(output).toHaveLength(Math.ceil((tone(1000, rate).length * 16_000) / rate));
    expect(worstDifference(output, tone(1000, 16_000))).toBeLessThan(2e-3);
  });

  it('removes tones that the lower rate cannot carry', () => {
    for (const hertz of [9000, 12_000, 20_000]) {
      const output = resampleAudio(tone(hertz, 48_000), 48_000, 16_000);
      expect(worstDifference(output, new Float32Array(output.length))).toBeLessThan(1e-3);
    }
  });

  it('gives the same whatever the pieces', () => {
    const input = tone(440, 44_100);
    const whole = resampleAudio(input, 44_100, 16_000);
    const resampler = createResampler(44_100, 16_000);
    const pieces: number[] = [];
    for (let at = 0, size = 1; at < input.length; at += size, size = (size * 7) % 997) {
      pieces.push(...resampler.push(input.subarray(at, at + size)));
    }
    pieces.push(...resampler.end());
    expect(pieces).toHaveLength(whole.length);
    expect(worstDifference(Float32Array.from(pieces), whole, 0)).toBeLessThan(1e-6);
  });

  it('keeps a constant constant and copes with nothing', () => {
    const output = resampleAudio(new Float32Array(4800).fill(0.5), 48_000, 16_000);
    expect(worstDifference(output, new Float32Array(1600).fill(0.5))).toBeLessThan(1e-4);
    expect(resampleAudio(new Float32Array(0), 48_000, 16_000)).toHaveLength(0);
  });
});
