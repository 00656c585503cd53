import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeAudio } from '../../src/sound/decode-audio.js';

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`../fixtures/audio/${name}`, import.meta.url)));
const clip = () =>
  new Uint8Array(readFileSync(new URL('../../public/models/tiny-whisper/clips/en-1.wav', import.meta.url)));

describe('decodeAudio', () => {
  it('reads WAV without any codec', async () => {
    const samples = await decodeAudio(clip());
    expect(samples.length / 16_000).toBeCloseTo(1.73, 1);
    expect(Math.max(...samples)).toBeGreaterThan(0.05);
  });

  it('refuses a WAV file of a head alone, but not one that was recorded without sound', async () => {
    const head = clip().slice(0, 44);
    await expect(decodeAudio(head)).rejects.toMatchObject({ code: 'invalid_media', param: 'file' });
    new DataView(head.buffer).setUint32(40, 0, true);
    expect(await decodeAudio(head)).toHaveLength(0);
    new DataView(head.buffer).setUint32(40, 0xffff_ffff, true);
    expect(await decodeAudio(head)).toHaveLength(0);
  });

  it('asks the page where this realm has no decoder', async () => {
    const asked: number[] = [];
    const samples = await decodeAudio(fixture('en-2.mp3'), {
      pageDecoder: async (bytes) => {
        asked.push(bytes.length);
        return { channels: [new Float32Array(8000).fill(1), new Float32Array(8000)], sampleRate: 8000 };
      },
    });
    expect(asked).toEqual([fixture('en-2.mp3').length]);
    expect(samples).toHaveLength(16_000);
    expect(samples[8000]).toBeCloseTo(0.5, 3);
    // The demuxers are a large module, which is read here for the first time.
  }, 60_000);

  it('refuses what nobody here can decode', async () => {
    const refused = { code: 'invalid_media', param: 'file' };
    await expect(decodeAudio(fixture('en-2.mp3'))).rejects.toMatchObject(refused);
    const pageDecoder = () => Promise.reject(new Error('unable to decode'));
    await expect(decodeAudio(fixture('en-2.mp3'), { pageDecoder })).rejects.toMatchObject(refused);
    await expect(decodeAudio(new Uint8Array(100))).rejects.toMatchObject(refused);
  });

  it.each([1, 999, 800_000])('refuses a WAV file of %i Hz, which would grow beyond all sense', async (rate) => {
    const bytes = clip();
    new DataView(bytes.buffer).setUint32(24, rate, true);
    await expect(decodeAudio(bytes)).rejects.toMatchObject({ code: 'invalid_media', param: 'file' });
  });

  it('knows the length of a WAV file before it decodes anything', async () => {
    const bytes = clip();
    let collected = 0;
    const signal = {
      get aborted() {
        collected += 1;
        return false;
      },
    } as AbortSignal;
    await expect(decodeAudio(bytes, { maxSeconds: 1, signal })).rejects.toMatchObject({ code: 'invalid_media' });
    expect(collected).toBe(0);
  });

  it('refuses recordings that are too long, and stops when cancelled', async () => {
    await expect(decodeAudio(clip(), { maxSeconds: 1 })).rejects.toMatchObject({ code: 'invalid_media' });
    await expect(decodeAudio(clip(), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  });
});
