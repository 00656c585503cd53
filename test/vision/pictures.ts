/** Pictures that no two models or encoders confuse, drawn by the browser. For Chromium tests. */
import type { ImagePart } from '../../src/core/request/message.js';

/** A picture with a gradient and a few shapes, different for each number. */
export async function drawPicture(
  seed: number,
  [width, height]: readonly [number, number],
  type = 'image/png',
): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  const gradient = context.createLinearGradient(0, 0, width, height);
  gradient.addColorStop(0, `hsl(${(seed * 137) % 360} 90% 50%)`);
  gradient.addColorStop(1, `hsl(${(seed * 71 + 120) % 360} 60% 30%)`);
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  for (let shape = 0; shape < 5; shape++) {
    context.fillStyle = `hsl(${(seed * 50 + shape * 67) % 360} 80% ${20 + shape * 15}%)`;
    const [x, y] = [((seed + 3) * (shape + 1) * 29) % width, ((seed + 7) * (shape + 2) * 17) % height];
    context.fillRect(x, y, width / 4, height / 5);
  }
  return canvas.convertToBlob({ type });
}

/** The same as a part of a message. */
export async function imagePart(picture: Blob, detail?: ImagePart['detail']): Promise<ImagePart> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  return { type: 'image', mediaType: picture.type, bytes, ...(detail && { detail }) };
}
