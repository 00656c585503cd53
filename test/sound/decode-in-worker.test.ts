/** A worker that loops is ended by its deadline, and the next recording gets another one. */
import { expose } from 'comlink';
import { expect, it, vi } from 'vitest';
import { decodeAudio } from '../../src/sound/decode-audio.js';
import { decodeTime } from '../../src/sound/decode-audio.js';

const FLAC = new Uint8Array(55);
FLAC.set(new TextEncoder().encode('fLaC'));

/** Decodes to one sample, or never; its kind is that of the next one in `kinds`. */
function fakeWorkers(kinds: ('loops' | 'decodes' | 'throws')[]): { made: number; ended: number } {
  const seen = { made: 0, ended: 0 };
  class FakeWorker {
    readonly #channel = new MessageChannel();
    readonly addEventListener: MessagePort['addEventListener'];
    readonly removeEventListener: MessagePort['removeEventListener'];
    readonly postMessage: MessagePort['postMessage'];

    constructor() {
      const { port1, port2 } = this.#channel;
      this.addEventListener = port1.addEventListener.bind(port1);
      this.removeEventListener = port1.removeEventListener.bind(port1);
      this.postMessage = port1.postMessage.bind(port1);
      port1.start();
      const kind = kinds[seen.made];
      seen.made += 1;
      const decode = (): Promise<Float32Array> => {
        if (kind === 'throws') throw new Error('This is no FLAC file.');
        return kind === 'decodes' ? Promise.resolve(new Float32Array([0.5])) : new Promise(() => {});
      };
      expose({ decode }, port2);
    }

    terminate(): void {
      seen.ended += 1;
      this.#channel.port2.close();
      this.#channel.port1.close();
    }
  }
  vi.stubGlobal('Worker', FakeWorker);
  return seen;
}

it('a recording on which the demuxer loops is refused in time, and the next one is decoded in a new worker', async () => {
  const seen = fakeWorkers(['loops', 'decodes']);
  const refused = { code: 'invalid_media', param: 'file' };
  await expect(decodeAudio(FLAC, { milliseconds: 5 })).rejects.toMatchObject(refused);
  expect(seen).toEqual({ made: 1, ended: 1 });
  expect(await decodeAudio(FLAC)).toEqual(new Float32Array([0.5]));
  expect(await decodeAudio(FLAC)).toEqual(new Float32Array([0.5]));
  expect(seen).toEqual({ made: 2, ended: 1 });
  await expect(decodeAudio(FLAC, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  expect(seen).toEqual({ made: 2, ended: 1 });
  // A caller that leaves while it is decoded ends the worker.
  const leaving = new AbortController();
  const decoded = decodeAudio(FLAC, { signal: leaving.signal });
  leaving.abort();
  await expect(decoded).rejects.toMatchObject({ code: 'cancelled' });
  expect(seen).toEqual({ made: 2, ended: 2 });
});

it('what the worker cannot decode the page is asked for, under the same deadline', async () => {
  fakeWorkers(['throws', 'throws']);
  const pageDecoder = async () => ({ channels: [new Float32Array(16_000)], sampleRate: 16_000 });
  expect(await decodeAudio(FLAC, { pageDecoder })).toHaveLength(16_000);
  const silent = () => new Promise<never>(() => {});
  await expect(decodeAudio(FLAC, { pageDecoder: silent, milliseconds: 5 })).rejects.toMatchObject({
    code: 'invalid_media',
  });
});

it('the time grows with the size of the file', () => {
  const megabyte = 2 ** 20;
  expect(decodeTime(2 * megabyte) - decodeTime(megabyte)).toBe(decodeTime(megabyte) - decodeTime(0));
  expect(decodeTime(megabyte)).toBeGreaterThan(decodeTime(0));
});
