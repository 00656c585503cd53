import { describe, expect, it } from 'vitest';
import { decodeAudio } from '../../src/sound/decode-audio.js';

async function fixture(name: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`/test/fixtures/audio/${name}`)).arrayBuffer());
}

describe('decodeAudio in Chromium', () => {
  it.each(['en-2.mp3', 'en-2.flac', 'en-2.ogg', 'en-2.opus.ogg', 'en-2.webm', 'en-2.m4a', 'en-2.mp4', 'en-2.aac'])(
    'decodes %s by itself',
    async (name) => {
      const samples = await decodeAudio(await fixture(name));
      expect(samples.length / 16_000).toBeGreaterThan(5);
      expect(samples.length / 16_000).toBeLessThan(5.25);
      expect(samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0)).toBeGreaterThan(0.05);
    },
  );

  it('refuses a file that is cut to pieces', async () => {
    const bytes = (await fixture('en-2.m4a')).slice(0, 300);
    await expect(decodeAudio(bytes)).rejects.toMatchObject({ code: 'invalid_media', param: 'file' });
  });

  it.each(['no frame', 'one frame'])('a FLAC file of %s ends', async (frames) => {
    const bytes = flacHead(frames === 'one frame' ? 4096 : 0);
    const whole =
      frames === 'one frame' ? new Uint8Array([...bytes, 0xff, 0xf8, 0xc5, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]) : bytes;
    expect(await decodeAudio(whole).catch(() => 'refused')).toBeDefined();
    expect((await decodeAudio(await fixture('en-2.flac'))).length / 16_000).toBeGreaterThan(5);
  });

  it('a FLAC file of a head alone is refused when the head states a length', async () => {
    await expect(decodeAudio(flacHead(16_000))).rejects.toMatchObject({
      code: 'invalid_media',
      param: 'file',
      message: expect.stringContaining('truncated'),
    });
  });

  it('a recording that takes too long is refused, and the next one is decoded', async () => {
    const bytes = await fixture('en-2.flac');
    await expect(decodeAudio(bytes, { milliseconds: 0 })).rejects.toMatchObject({ code: 'invalid_media' });
    expect((await decodeAudio(bytes)).length / 16_000).toBeGreaterThan(5);
  });
});

/** A FLAC file without its frames: 16 bits, one channel, 16 kHz. */
function flacHead(samples: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(42);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('fLaC'));
  // One block of metadata, the last.
  view.setUint32(4, 0x80000022);
  view.setUint32(8, 0x10001000);
  view.setUint32(18, (16_000 << 12) | (15 << 4));
  view.setUint32(22, samples);
  return bytes;
}
