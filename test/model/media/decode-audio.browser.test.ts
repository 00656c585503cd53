import { describe, expect, it } from 'vitest';
import { decodeAudio } from '../../../src/model/media/decode-audio.js';

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
});
