/** Images of one request as parts of its canonical form. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { decodeLooseBase64, readDataURL } from '../../../core/media/data-url.js';
import { sniffImage } from '../../../core/media/sniff-image.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { toHex } from '../../../core/platform/to-hex.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { ImagePart } from '../../../core/request/message.js';
import { RequestFiles } from './file-text.js';
import { RunQueue } from '../../scheduler/run-queue.js';

const IMAGE = /^image\/(png|jpe?g|webp|gif)$/;

/** Of all images of a request, by their headers: ten of the largest, or two hundred screenshots. */
const MAX_PIXELS = 500_000_000;

/** Milliseconds that decoding may take, for any image and for each million of its pixels. */
const DECODE_TIME = { least: 5_000, perMegapixel: 300 };

interface CheckedImage {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  pixels: number;
  param: string;
}

/** Takes the images of a request as they are read, by their headers; {@link decodeAll} then looks into them. */
export class RequestImages {
  /** The files beside them. */
  readonly files: RequestFiles;
  readonly #images: CheckedImage[] = [];
  #pixels = 0;

  constructor(files: RequestFiles = new RequestFiles()) {
    this.files = files;
  }

  /**
   * A `data:` address as an image part: what `fetch` would read.
   * @param param dotted path of the part, for the error
   * @param detail how closely it is to be looked at, in the words of clients; unknown ones say nothing
   * @throws InferenceError `invalid_media` for another address, or for bytes that are no image
   */
  fromUrl(url: string, param: string, detail?: string | null): ImagePart {
    const read = readDataURL(url);
    // An image that says what it is and cannot be decoded is one all the same.
    if (!read && /^\s*data:\s*image\/(png|jpe?g|webp|gif)\b[^,]*;\s*base64\s*,/i.test(url.slice(0, 1_000)))
      throw undecodable(param);
    if (!read || !IMAGE.test(read.type)) {
      throw new InferenceError(
        'invalid_media',
        'Only base64-encoded images are supported (`data:image/...;base64,` of png, jpeg, webp or gif), and only by models that accept images.',
        { param },
      );
    }
    return this.#add(read.bytes, param, detail);
  }

  /**
   * Base64 text as an image part; what kind of image it is, its bytes say.
   * @throws InferenceError `invalid_media`, also when the images of the request have too many pixels together
   */
  fromBase64(base64: string, param: string, detail?: string | null): ImagePart {
    return this.#add(decodeLooseBase64(base64), param, detail);
  }

  #add(bytes: Uint8Array<ArrayBuffer> | undefined, param: string, detail?: string | null): ImagePart {
    const sniffed = bytes && sniffImage(bytes);
    if (!bytes || !sniffed) throw undecodable(param);
    const { mediaType, pixels } = sniffed;
    this.#pixels += pixels;
    if (this.#pixels > MAX_PIXELS) {
      const most = `at most ${MAX_PIXELS / 1e6} million pixels`;
      throw new InferenceError('invalid_media', `The images of a request may have ${most} in total.`, { param });
    }
    this.#images.push({ bytes, mediaType, pixels, param });
    const isKnown = detail === 'low' || detail === 'high';
    return { type: 'image', mediaType, bytes, ...(isKnown && { detail }) };
  }

  /**
   * Really decodes them where the platform can (browsers); elsewhere their headers have to do. They wait their turn one by
   * one, so a request with many holds up another's for the time of one.
   * @param sees what is known of the model; one that sees nothing says so itself, whatever is in the images
   * @param caller whose images are remembered apart; see `GenerationRequest`
   * @throws InferenceError `invalid_media` for the first that does not decode, or not in time; the signal's reason
   */
  async decodeAll(sees: boolean | undefined, signal: AbortSignal, caller?: GenerationRequest['caller']): Promise<void> {
    if (sees === false || typeof createImageBitmap !== 'function') return;
    for (const image of this.#images) {
      const release = await turns.acquire(signal);
      try {
        if (!(await hasDecoded(image, caller))) throw undecodable(image.param);
      } finally {
        release();
      }
    }
  }
}

/** One image is decoded at a time: each may take 200 MB. */
const turns = new RunQueue();

/** Digests of images that decoded, the last used last: a conversation brings its images again with every turn. */
const decoded = new Set<string>();

const MAX_REMEMBERED = 512;

async function hasDecoded(image: CheckedImage, caller = ''): Promise<boolean> {
  const digest = `${toHex(await crypto.subtle.digest('SHA-256', image.bytes))} ${caller}`;
  const isKnown = decoded.delete(digest);
  if (!isKnown && !(await canDecode(image))) return false;
  decoded.add(digest);
  for (const oldest of decoded) {
    if (decoded.size <= MAX_REMEMBERED) break;
    decoded.delete(oldest);
  }
  return true;
}

async function canDecode({ bytes, mediaType, pixels }: CheckedImage): Promise<boolean> {
  const milliseconds = DECODE_TIME.least + (pixels / 1e6) * DECODE_TIME.perMegapixel;
  const bitmap = createImageBitmap(new Blob([bytes], { type: mediaType })).then(
    (decodedImage) => {
      decodedImage.close();
      return true;
    },
    () => false,
  );
  return (await settledWithin(bitmap, milliseconds)) ?? false;
}

function undecodable(param: string): InferenceError {
  return new InferenceError('invalid_media', 'The image could not be decoded.', { param });
}
