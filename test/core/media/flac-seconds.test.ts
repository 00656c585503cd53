import { expect, it } from 'vitest';
import { flacSeconds } from '../../../src/core/media/sniff-audio.js';

/** The head of a FLAC file: stream information with a rate and a count of samples. */
function head(rate: number, samples: number): Uint8Array {
  const bytes = new Uint8Array(42);
  bytes.set(new TextEncoder().encode('fLaC'));
  bytes.set([0, 0, 0, 34], 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(18, rate << 12);
  bytes[21] = Math.floor(samples / 2 ** 32) & 15;
  view.setUint32(22, samples % 2 ** 32);
  return bytes;
}

it.each([
  [16_000, 0, 0],
  [16_000, 4096, 0.256],
  [16_000, 2 ** 31, 2 ** 31 / 16_000],
  [44_100, 2 ** 35 + 5, (2 ** 35 + 5) / 44_100],
  [0, 5, undefined],
])('a FLAC file of %s Hz and %s samples', (rate, samples, seconds) => {
  expect(flacSeconds(head(rate, samples))).toBe(seconds);
});

it('other files say nothing', () => {
  expect(flacSeconds(new TextEncoder().encode('OggS and more that is long enough'))).toBeUndefined();
  expect(flacSeconds(new TextEncoder().encode('fLaC, but short'))).toBeUndefined();
});
