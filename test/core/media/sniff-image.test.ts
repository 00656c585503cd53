/** Images by their headers. */
import { expect, it } from 'vitest';
import { sniffImage } from '../../../src/core/media/sniff-image.js';

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
  expect(sniffImage(image)).toEqual({ mediaType, pixels: 1 });
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

const SIZES: Record<string, (view: DataView, width: number, height: number) => void> = {
  'image/png': (view, width, height) => {
    view.setUint32(16, width);
    view.setUint32(20, height);
  },
  'image/jpeg': (view, width, height) => {
    const frame = [...new Uint8Array(view.buffer).keys()].find((at) => view.getUint16(at) === 0xffc0)!;
    view.setUint16(frame + 5, height);
    view.setUint16(frame + 7, width);
  },
  'image/gif': (view, width, height) => {
    // The first frame, after the palette of two colours and one extension.
    view.setUint16(13 + 6 + 8 + 5, width, true);
    view.setUint16(13 + 6 + 8 + 7, height, true);
  },
  'image/webp': (view, width, height) => {
    view.setUint16(26, width & 0x3fff, true);
    view.setUint16(28, height & 0x3fff, true);
  },
};

it.each(IMAGES)('%s of a size that would fill the memory is refused before it is decoded', (mediaType, image) => {
  const bomb = image.slice();
  SIZES[mediaType]!(new DataView(bomb.buffer), 16_000, 16_000);
  expect(sniffImage(bomb)).toBeUndefined();
});

it.each<[string, number[]]>([
  ['VP8L', [0x2f, 0xff, 0xff, 0xff, 0x0f]],
  ['VP8X', [0, 0, 0, 0, 0xff, 0xff, 0x00, 0xff, 0xff, 0x00]],
])('a webp of the kind %s says its size, too', (kind, header) => {
  const webp = new Uint8Array(64);
  webp.set(new TextEncoder().encode('RIFF'), 0);
  webp.set(new TextEncoder().encode(`WEBP${kind}`), 8);
  new DataView(webp.buffer).setUint32(4, webp.length - 8, true);
  webp.set(header, 20);
  expect(sniffImage(webp)).toBeUndefined();
  webp.set(kind === 'VP8L' ? [0x2f, 0, 0, 0, 0] : [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 20);
  expect(sniffImage(webp)).toEqual({ mediaType: 'image/webp', pixels: 1 });
});
