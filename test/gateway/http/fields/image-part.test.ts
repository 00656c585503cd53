import { afterEach, expect, it, vi } from 'vitest';
import { imagePartFromBase64 } from '../../../../src/gateway/http/fields/image-part.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The same picture in other bytes: what is behind its end says nothing. */
const png = (index: number): string => btoa(`${atob(PNG)}${String.fromCharCode(index)}`);

afterEach(() => vi.unstubAllGlobals());

it('images are decoded one after the other, and a broken one holds up none', async () => {
  let atOnce = 0;
  let most = 0;
  let decoded = 0;
  vi.stubGlobal('createImageBitmap', async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setTimeout(resolve, 1));
    atOnce -= 1;
    decoded += 1;
    if (decoded === 2) throw new Error('broken');
    return { close: () => {} };
  });
  const parts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => imagePartFromBase64(png(index), `messages.0.content.${index}`)),
  );
  expect(most).toBe(1);
  expect(decoded).toBe(20);
  expect(parts.map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, (_, index) => (index === 1 ? 'rejected' : 'fulfilled')),
  );
});

it('an image that decoded is not decoded again, one that did not is', async () => {
  let tried = 0;
  vi.stubGlobal('createImageBitmap', async () => {
    tried += 1;
    if (tried === 1) throw new Error('broken');
    return { close: () => {} };
  });
  const read = () => imagePartFromBase64(png(100), 'messages.0.content.0');
  await expect(read()).rejects.toMatchObject({ code: 'invalid_media' });
  await read();
  expect(await Promise.all([read(), read()])).toMatchObject([{ mediaType: 'image/png' }, { type: 'image' }]);
  expect(tried).toBe(2);
});
