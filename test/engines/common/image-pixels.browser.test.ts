/** What processors get of image files: what a browser would show. */
import { expect, it } from 'vitest';
import { drawImage } from '../../../src/engines/common/image-pixels.js';
import type { ImagePart } from '../../../src/core/request/message.js';
import { drawPicture, imagePart } from '../../vision/pictures.js';

const partOf = (mediaType: string, bytes: readonly number[]): ImagePart => ({
  type: 'image',
  mediaType,
  bytes: Uint8Array.from(bytes),
});

async function firstPixel(part: ImagePart): Promise<number[]> {
  const { data } = await drawImage(part);
  return Array.from(data.slice(0, 4));
}

it('transparent places are white', async () => {
  const canvas = new OffscreenCanvas(4, 4);
  canvas.getContext('2d')!.fillRect(2, 2, 2, 2);
  const part = await imagePart(await canvas.convertToBlob({ type: 'image/png' }));
  expect(await firstPixel(part)).toEqual([255, 255, 255, 255]);
});

it('a photograph is turned as its EXIF data says', async () => {
  const { bytes } = await imagePart(await drawPicture(1, [40, 20], 'image/jpeg'));
  // One entry: orientation 6, a quarter turn.
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0];
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  const turned = [...bytes.slice(0, 2), 0xff, 0xe1, 0, exif.length + 2, ...exif, ...bytes.slice(2)];
  const { width, height } = await drawImage(partOf('image/jpeg', turned));
  expect([width, height]).toEqual([20, 40]);
});

it('of an animation the first frame is seen', async () => {
  const frame = (...data: number[]) => [0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, ...data, 0];
  const head = [...new TextEncoder().encode('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0];
  const colours = [255, 0, 0, 0, 0, 255];
  const gif = [...head, ...colours, ...frame(2, 0x44, 0x01), ...frame(2, 0x4c, 0x01), 0x3b];
  expect(await firstPixel(partOf('image/gif', gif))).toEqual([255, 0, 0, 255]);
});

it('low detail is at most 512 pixels of the longer side', async () => {
  const large = await drawPicture(2, [1000, 500]);
  const sizeOf = async (detail?: ImagePart['detail']) => {
    const { width, height } = await drawImage(await imagePart(large, detail));
    return [width, height];
  };
  expect(await sizeOf('low')).toEqual([512, 256]);
  expect(await sizeOf('high')).toEqual([1000, 500]);
  expect(await sizeOf()).toEqual([1000, 500]);
});
