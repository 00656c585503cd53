import { afterEach, expect, it, vi } from 'vitest';
import { imagePartFromBase64 } from '../../../src/http/media-parts/image-part.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

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
    Array.from({ length: 20 }, (_, index) => imagePartFromBase64(PNG, `messages.0.content.${index}`)),
  );
  expect(most).toBe(1);
  expect(decoded).toBe(20);
  expect(parts.map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, (_, index) => (index === 1 ? 'rejected' : 'fulfilled')),
  );
});
