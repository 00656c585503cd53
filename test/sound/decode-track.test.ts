/** Recordings where no codecs are: in Node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeTrack } from '../../src/sound/decode-track.js';
import { readWav } from '../../src/sound/read-wav.js';

const LIMITS = { sampleRate: 16_000, maxSeconds: 60 };
const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(import.meta.dirname, '../fixtures/audio', name)));

/** How much of the recording's loudness over time is in the decoded one, 0 to 1, wherever it begins. */
function likeness(samples: Float32Array, original: Float32Array): number {
  const loudness = (sound: Float32Array): number[] =>
    Array.from({ length: Math.floor(sound.length / 400) }, (_, window) =>
      Math.hypot(...sound.subarray(window * 400, (window + 1) * 400)),
    );
  const [a, b] = [loudness(samples), loudness(original)];
  const at = (shift: number): number => {
    const pairs = b.map((value, index) => [value, a[index + shift] ?? 0] as const);
    const dot = pairs.reduce((sum, [x, y]) => sum + x * y, 0);
    return dot / (Math.hypot(...pairs.map(([x]) => x)) * Math.hypot(...pairs.map(([, y]) => y)));
  };
  return Math.max(...[0, 1, 2, 3, 4, 5].map(at));
}

describe('[Y51] decodeTrack without WebCodecs', () => {
  const clip = join(import.meta.dirname, '../../public/models/tiny-whisper/clips/en-2.wav');
  const wav = readWav(new Uint8Array(readFileSync(clip)))!;
  const original = wav.read(0, wav.frames);

  it.each(['en-2.mp3', 'en-2.flac', 'en-2.ogg', 'en-2.opus.ogg', 'en-2.webm', 'en-2.m4a', 'en-2.mp4', 'en-2.aac'])(
    'decodes %s',
    async (name) => {
      const samples = (await decodeTrack(fixture(name), LIMITS))!;
      expect(samples.length / 16_000).toBeGreaterThan(5);
      expect(samples.length / 16_000).toBeLessThan(5.3);
      expect(likeness(samples, original)).toBeGreaterThan(0.95);
    },
  );

  it.each(['en-2.m4a', 'en-2.mp3', 'en-2.flac', 'en-2.ogg', 'en-2.webm'])(
    'refuses %s that is cut to pieces',
    async (name) => {
      await expect(decodeTrack(fixture(name).slice(0, 300), LIMITS)).rejects.toBeInstanceOf(Error);
    },
  );
});
