/** Images by their headers. */
import { expect, it } from 'vitest';
import { sniffImage } from '../../../src/http/media-parts/sniff-image.js';

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** One pixel each. */
const IMAGES: [string, Uint8Array][] = [
  [
    'image/png',
    bytes('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='),
  ],
  ['image/gif', bytes('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')],
  ['image/jpeg', bytes('/9j/4AAQSkZJRgABAQEASABIAAD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/aAAgBAQAAPwBUn//Z')],
  ['image/webp', bytes('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=')],
];

it.each(IMAGES)('%s', (mediaType, image) => {
  expect(sniffImage(image)).toBe(mediaType);
});

it.each(IMAGES)('%s, cut anywhere before its picture, is no image; no cut throws', (_, image) => {
  for (let length = 0; length <= image.length; length += 1) {
    const kind = sniffImage(image.subarray(0, length));
    expect(length > 20 || kind === undefined).toBe(true);
  }
});

it('a size of zero or beyond reason is no image', () => {
  const [, png] = IMAGES[0]!;
  for (const [width, height] of [
    [0, 1],
    [1, 0],
    [60_000, 60_000],
  ] as const) {
    const changed = png.slice();
    new DataView(changed.buffer).setUint32(16, width);
    new DataView(changed.buffer).setUint32(20, height);
    expect(sniffImage(changed)).toBeUndefined();
  }
});
