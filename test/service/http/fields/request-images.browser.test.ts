/** Images are really decoded where the platform can. */
import { expect, it } from 'vitest';
import type { ImagePart } from '../../../../src/core/request/message.js';
import { RequestImages } from '../../../../src/service/http/fields/request-images.js';

async function dataURL(type: string): Promise<string> {
  const canvas = new OffscreenCanvas(40, 30);
  const context = canvas.getContext('2d');
  context?.fillRect(5, 5, 20, 10);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type })).arrayBuffer());
  return `data:${type};base64,${btoa(String.fromCharCode(...bytes))}`;
}

async function imagePartFromUrl(url: string): Promise<ImagePart> {
  const images = new RequestImages();
  const part = images.fromUrl(url, 'url');
  await images.decodeAll(true, new AbortController().signal);
  return part;
}

const GIF = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

it.each(['image/png', 'image/jpeg', 'image/webp'])('[C11] %s is accepted', async (mediaType) => {
  expect(await imagePartFromUrl(await dataURL(mediaType))).toMatchObject({ type: 'image', mediaType });
});

it('[C11] image/gif is accepted, and the bytes say what an image is', async () => {
  expect(await imagePartFromUrl(GIF)).toMatchObject({ mediaType: 'image/gif' });
  const mislabelled = (await dataURL('image/png')).replace('image/png', 'image/jpeg');
  expect(await imagePartFromUrl(mislabelled)).toMatchObject({ mediaType: 'image/png' });
});

it.each(['image/png', 'image/jpeg', 'image/webp'])('[C12] %s with a broken inside is refused', async (mediaType) => {
  const [head = '', body = ''] = (await dataURL(mediaType)).split(',');
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  // The header stays, what follows it is noise.
  bytes.fill(0x5a, mediaType === 'image/webp' ? 16 : 24);
  const broken = `${head},${btoa(String.fromCharCode(...bytes))}`;
  await expect(imagePartFromUrl(broken)).rejects.toMatchObject({ code: 'invalid_media', param: 'url' });
});
