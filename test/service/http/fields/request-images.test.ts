import { afterEach, expect, it, vi } from 'vitest';
import { cancelled } from '../../../../src/core/errors/inference-error.js';
import { RequestImages } from '../../../../src/service/http/fields/request-images.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The same picture in other bytes: what is behind its end says nothing. */
const png = (index: number): string => btoa(`${atob(PNG)}${String.fromCharCode(index)}`);

/** One that says it has 49 million pixels. */
function large(index: number): string {
  const bytes = Uint8Array.from(atob(png(index)), (letter) => letter.charCodeAt(0));
  new DataView(bytes.buffer).setUint32(16, 7000);
  new DataView(bytes.buffer).setUint32(20, 7000);
  return btoa(String.fromCharCode(...bytes));
}

const open = new AbortController().signal;

/** A request's images; each test has its own, because what decoded is remembered. */
function imagesOf(...files: string[]): RequestImages {
  const images = new RequestImages();
  for (const [index, file] of files.entries()) images.fromBase64(file, `messages.0.content.${index}`);
  return images;
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => png(from + index));

/** Stands for the browser's decoder. */
function stubDecoder(decode: (attempt: number) => Promise<void>): { tried: number } {
  const seen = { tried: 0 };
  vi.stubGlobal('createImageBitmap', async () => {
    await decode(++seen.tried);
    return { close: () => {} };
  });
  return seen;
}

const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('images are decoded one after the other, whoever sent them, and a request with many holds up another for one', async () => {
  let atOnce = 0;
  let most = 0;
  const seen = stubDecoder(async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await aMoment();
    atOnce -= 1;
  });
  const many = imagesOf(...range(0, 20)).decodeAll(true, open);
  await imagesOf(png(30)).decodeAll(true, open);
  expect(seen.tried).toBeLessThanOrEqual(3);
  await many;
  expect([seen.tried, most]).toEqual([21, 1]);
});

it('[C12] the first image that does not decode is named, and another request goes on', async () => {
  stubDecoder(async (attempt) => {
    if (attempt === 2) throw new Error('broken');
  });
  const refused = { code: 'invalid_media', param: 'messages.0.content.1' };
  await expect(imagesOf(...range(40, 43)).decodeAll(true, open)).rejects.toMatchObject(refused);
  await imagesOf(png(44)).decodeAll(undefined, open);
});

it('[C13] nothing is decoded for a model that sees nothing', async () => {
  const seen = stubDecoder(aMoment);
  await imagesOf(...range(50, 60)).decodeAll(false, open);
  expect(seen.tried).toBe(0);
});

it('[C12] the pixels of all images together are bounded, before any is decoded', () => {
  const seen = stubDecoder(aMoment);
  const images = new RequestImages();
  for (let index = 0; index < 10; index += 1) images.fromBase64(large(index), `messages.0.content.${index}`);
  expect(() => images.fromBase64(large(10), 'messages.0.content.10')).toThrow(
    expect.objectContaining({ code: 'invalid_media', param: 'messages.0.content.10' }),
  );
  expect(seen.tried).toBe(0);
});

it('a decoder that never answers is given up, and the next image has its turn', async () => {
  vi.useFakeTimers();
  stubDecoder((attempt) => (attempt === 1 ? new Promise(() => {}) : Promise.resolve()));
  const both = Promise.allSettled([png(70), png(71)].map((file) => imagesOf(file).decodeAll(true, open)));
  const settled = vi.fn<() => void>();
  void both.then(settled);
  // The digest comes from a thread of its own, which knows no such timers.
  while (settled.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1_000);
  expect(await both).toMatchObject([
    { status: 'rejected', reason: { code: 'invalid_media' } },
    { status: 'fulfilled' },
  ]);
});

it('who leaves while others are decoded waits no longer', async () => {
  let finish: () => void = () => {};
  const seen = stubDecoder(() => new Promise((resolve) => (finish = resolve)));
  const first = imagesOf(png(80)).decodeAll(true, open);
  const leaving = new AbortController();
  const waiting = imagesOf(png(81)).decodeAll(true, leaving.signal);
  await vi.waitFor(() => expect(seen.tried).toBe(1));
  leaving.abort(cancelled());
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  finish();
  await first;
});

it('an image that decoded is not decoded again, one that did not is', async () => {
  const seen = stubDecoder(async (attempt) => {
    if (attempt === 1) throw new Error('broken');
  });
  const read = (): Promise<void> => imagesOf(png(100)).decodeAll(true, open);
  await expect(read()).rejects.toMatchObject({ code: 'invalid_media' });
  await read();
  await Promise.all([read(), read()]);
  expect(seen.tried).toBe(2);
});

it('[X26] what one caller has sent is decoded again for another', async () => {
  const seen = stubDecoder(aMoment);
  for (const caller of ['a', 'b', 'a', 'b', undefined]) await imagesOf(png(130)).decodeAll(true, open, caller);
  expect(seen.tried).toBe(3);
});
