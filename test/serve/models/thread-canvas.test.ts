/** Pictures in threads of Node: red on the left and blue on the right. */
import { describe, expect, it } from 'vitest';
import { decodeImage } from '../../../src/serve/models/decode-image.js';
import { SoftwareCanvas, SoftwareImageData } from '../../../src/serve/models/thread-canvas.js';

const PICTURES = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAICAMAAADHqI+lAAAABlBMVEUKCvr6CgoF/oNZAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWNghAIGGBgYAQASiABB/o9P0gAAAABJRU5ErkJggg==',
  jpeg: '/9j/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAIABADAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAACP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAWAQEBAQAAAAAAAAAAAAAAAAAKCAn/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwAjpfbwCWUAOe//2Q==',
  gif: 'R0lGODlhEAAIAIEAAExpcfoKCgoK+gAAACH5BAUAAAAALAAAAAAQAAgAAAITjG+iq4jM3IFLJipswNly/XlYAQA7',
};
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64'));

/** The color at a place, as far as compression leaves it. */
function colorAt({ data, width }: { data: Uint8ClampedArray; width: number }, x: number, y: number): string {
  const [red, green, blue, opacity] = data.subarray(
    (y * width + x) * 4,
    (y * width + x) * 4 + 4,
  ) as unknown as number[];
  if (opacity !== 255 || green! > 40) return 'other';
  return red! > 210 && blue! < 40 ? 'red' : blue! > 210 && red! < 40 ? 'blue' : 'other';
}

/** An EXIF part with an orientation, behind the first mark of a JPEG file. */
function withOrientation(jpeg: Uint8Array<ArrayBuffer>, orientation: number): Uint8Array<ArrayBuffer> {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  return new Uint8Array([...jpeg.subarray(0, 2), 0xff, 0xe1, 0, exif.length + 2, ...exif, ...jpeg.subarray(2)]);
}

describe('[Y50] decodeImage', () => {
  it.each(Object.entries(PICTURES))('decodes %s', async (_, text) => {
    const picture = await decodeImage(bytesOf(text));
    expect([picture.width, picture.height]).toEqual([16, 8]);
    expect([colorAt(picture, 2, 4), colorAt(picture, 13, 4)]).toEqual(['red', 'blue']);
  });

  it('turns a picture as its orientation says', async () => {
    const jpeg = bytesOf(PICTURES.jpeg);
    const seen = new Map<number, string[]>();
    for (let orientation = 1; orientation <= 8; orientation++) {
      const picture = await decodeImage(withOrientation(jpeg, orientation));
      const isUpright = picture.width === 16;
      const [first, last] = isUpright
        ? [
            [2, 4],
            [13, 4],
          ]
        : [
            [4, 2],
            [4, 13],
          ];
      seen.set(orientation, [
        isUpright ? 'x' : 'y',
        colorAt(picture, first[0]!, first[1]!),
        colorAt(picture, last[0]!, last[1]!),
      ]);
    }
    const [forth, back] = [
      ['red', 'blue'],
      ['blue', 'red'],
    ];
    expect([...seen.values()]).toEqual([
      ['x', ...forth],
      ['x', ...back],
      ['x', ...back],
      ['x', ...forth],
      ['y', ...forth],
      ['y', ...forth],
      ['y', ...back],
      ['y', ...back],
    ]);
  });

  it('refuses what is broken, and what is no picture', async () => {
    for (const text of Object.values(PICTURES)) {
      const broken = bytesOf(text).fill(0x5a, 24);
      await expect(decodeImage(broken).then(({ width, height }) => [width, height])).rejects.toBeDefined();
    }
    await expect(decodeImage(new Uint8Array(20))).rejects.toThrow('unknown kind');
  });
});

describe('SoftwareCanvas', () => {
  it('draws smaller, cut out, and over a color', async () => {
    const picture = await decodeImage(bytesOf(PICTURES.png));
    const small = new SoftwareCanvas(4, 2);
    small.getContext().drawImage(picture, 0, 0, 4, 2);
    expect([0, 3].map((x) => colorAt(small.getContext().getImageData(0, 0, 4, 2), x, 1))).toEqual(['red', 'blue']);
    const cut = new SoftwareCanvas(4, 4);
    cut.getContext().drawImage(picture, 12, 0, 4, 4, 0, 0, 4, 4);
    expect(colorAt(cut.getContext().getImageData(0, 0, 4, 4), 0, 0)).toBe('blue');
    const context = new SoftwareCanvas(1, 1).getContext();
    context.fillStyle = 'white';
    context.fillRect();
    context.drawImage(new SoftwareImageData(new Uint8ClampedArray([0, 0, 0, 128]), 1, 1), 0, 0);
    expect([...context.getImageData(0, 0, 1, 1).data]).toEqual([127, 127, 127, 255]);
  });
});
