/** Decodes images into pixels, and identifies them by a hash. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ImagePart } from '../../core/request/message.js';

/** Larger pictures are scaled down: a pixel takes four bytes, and no model uses so many. */
const MAX_PIXELS = 2 ** 24;

/** Pixels of the longer side for `detail: 'low'`. */
const LOW_DETAIL_SIDE = 512;

/**
 * The picture as a browser shows it: rotated by its EXIF data, the first frame of an animation, transparency on white. Its
 * size was checked with the request.
 * @param mostPixels maximum number of pixels of the result
 * @throws InferenceError `invalid_media` when the browser cannot decode it
 */
export async function drawImage(
  { bytes, mediaType, detail }: ImagePart,
  mostPixels: number = MAX_PIXELS,
): Promise<ImageData> {
  const bitmap = await createImageBitmap(new Blob([bytes as BlobPart], { type: mediaType })).catch((cause: unknown) => {
    throw new InferenceError('invalid_media', 'The image could not be decoded.', { param: 'messages' }, { cause });
  });
  try {
    const most = detail === 'low' ? LOW_DETAIL_SIDE / Math.max(bitmap.width, bitmap.height) : 1;
    const scale = Math.min(1, most, Math.sqrt(mostPixels / (bitmap.width * bitmap.height)));
    const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
    const canvas = new OffscreenCanvas(width!, height!);
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.fillStyle = 'white';
    context.fillRect(0, 0, width!, height!);
    context.drawImage(bitmap, 0, 0, width!, height!);
    return context.getImageData(0, 0, width!, height!);
  } finally {
    bitmap.close();
  }
}

/** A negative number from 48 bits of the SHA-256 of the bytes, from the detail and from whose image it is. */
export async function imageKey({ bytes, detail }: ImagePart, caller?: GenerationRequest['caller']): Promise<number> {
  const hash = async (data: BufferSource): Promise<ArrayBuffer> => crypto.subtle.digest('SHA-256', data);
  const ofBytes = await hash(bytes as BufferSource);
  const whole = caller === undefined ? ofBytes : await hash(await new Blob([ofBytes, caller]).arrayBuffer());
  const digest = new DataView(whole);
  return -1 - (digest.getUint32(0) * 2 ** 16 + digest.getUint16(4)) * 2 - (detail === 'low' ? 1 : 0);
}
