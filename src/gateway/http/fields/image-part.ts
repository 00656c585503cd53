/** Image addresses as parts of the canonical request. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { toHex } from '../../../core/platform/to-hex.js';
import type { ContentPart } from '../../../core/request/message.js';
import { decodeBase64 } from '../../../core/media/base64.js';
import { sniffImage } from '../../../core/media/sniff-image.js';

const DATA_URL = /^data:image\/(png|jpe?g|webp|gif);base64,/i;

/**
 * A `data:image/...;base64,` address as an image part.
 * @param param dotted path of the part, for the error
 * @param detail how closely it is to be looked at, in the words of clients; unknown ones say nothing
 * @throws InferenceError `invalid_media` for another address, or for bytes that do not decode as an image
 */
export async function imagePartFromUrl(url: string, param: string, detail?: string | null): Promise<ContentPart> {
  const head = DATA_URL.exec(url.slice(0, 40));
  if (!head) {
    throw new InferenceError(
      'invalid_media',
      'Only base64-encoded images are supported: `data:image/...;base64,` of png, jpeg, webp or gif.',
      { param },
    );
  }
  return imagePartFromBase64(url.slice(head[0].length), param, detail);
}

/**
 * Base64 text as an image part; what kind of image it is, its bytes say.
 * @throws InferenceError `invalid_media`
 */
export async function imagePartFromBase64(base64: string, param: string, detail?: string | null): Promise<ContentPart> {
  const bytes = decodeBase64(base64);
  const mediaType = bytes && sniffImage(bytes);
  if (!bytes || mediaType === undefined || !(await decodes(bytes, mediaType))) {
    throw new InferenceError('invalid_media', 'The image could not be decoded.', { param });
  }
  const isKnown = detail === 'low' || detail === 'high';
  return { type: 'image', mediaType, bytes, ...(isKnown && { detail }) };
}

/** The image that is decoded now. One at a time: each may take 200 MB, and a request may bring hundreds. */
let decoding: Promise<boolean> = Promise.resolve(true);

/** Digests of images that decoded, the last used last: a conversation brings its images again with every turn. */
const decoded = new Set<string>();

const MOST_REMEMBERED = 512;

/** Really decodes it where the platform can (browsers); elsewhere the header has to do. */
function decodes(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<boolean> {
  if (typeof createImageBitmap !== 'function') return Promise.resolve(true);
  decoding = decoding.then(() => hasDecoded(bytes, mediaType));
  return decoding;
}

async function hasDecoded(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<boolean> {
  const digest = toHex(await crypto.subtle.digest('SHA-256', bytes));
  const isKnown = decoded.delete(digest);
  if (!isKnown && !(await canDecode(bytes, mediaType))) return false;
  decoded.add(digest);
  for (const oldest of decoded) {
    if (decoded.size <= MOST_REMEMBERED) break;
    decoded.delete(oldest);
  }
  return true;
}

async function canDecode(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<boolean> {
  try {
    const bitmap = await createImageBitmap(new Blob([bytes], { type: mediaType }));
    bitmap.close();
    return true;
  } catch {
    return false;
  }
}
