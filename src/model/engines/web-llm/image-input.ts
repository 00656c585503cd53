/**
 * WebLLM's image input. Its own way to it is a chat message, which would bring its own prompt; but a pass over tokens ends in
 * the same function as a pass over an image, and that one takes either.
 * @module
 */
import type { ImageReader } from '../../decoding/text-engine.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { PromptImage } from '../../prompt/prompt-image.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import type { ImagePart } from '../../../core/request/message.js';
import { drawImage } from '../draw-image.js';
import { imageKey } from '../image-key.js';
import { pipelineOf } from './pipeline-of.js';
import type { WebLlmEngine } from './web-llm-module.js';

/** What stands for an image in a pass: WebLLM looks its pixels up by this name before it fetches anything. */
interface NamedImage {
  url: string;
}

/** What WebLLM's image input consists of. It hides this, and its declarations do not show it. */
interface Pipeline {
  config: { model_type?: string };
  /** The kernel; absent in libraries of models that see nothing. */
  image_embed: object;
  /** Most tokens of a pass. */
  prefillChunkSize: number;
  imageDataCache: Map<string, ImageData>;
  /** Rows and columns of tiles that an image is cut into. */
  calculateCropShape(height: number, width: number): [rows: number, columns: number];
  /** Tokens that an image becomes. */
  computeImageEmbedSize(height: number, width: number): number;
  /** Every pass goes through this. @param length tokens of all data together */
  embedAndForward(data: readonly (readonly number[] | NamedImage)[], length: number): Promise<unknown>;
}

/** The only model whose sizes WebLLM knows, and how its prompts are written. */
const MODEL_TYPE = 'phi3_v';
const PLACEHOLDER = '<|image|>';

/** A line of its own, as the model was trained. */
const BEHIND_IMAGE = '\n';

/** WebLLM takes 12 bytes of GPU memory for a pixel, and the model sees 16 tiles of 336 by 336 pixels at the most. */
const MOST_PIXELS = 2 ** 22;

/** Images whose number of tokens is remembered. */
const MOST_REMEMBERED = 256;

/** Any name that is no address. */
const NAME = 'inpage-image';

/** An image of a prompt. */
export interface ShownImage extends PromptImage {
  part: ImagePart;
}

/** The eyes of a WebLLM model. It shows one image at a time, in a pass of its own. */
export class ImageInput implements ImageReader {
  readonly placeholder = PLACEHOLDER;
  /** Token id of a place of an image. */
  readonly imageToken: number;
  encodedImages = 0;
  readonly #pipeline: Pipeline;
  readonly #places = new Map<number, number>();
  #isShowing = false;

  private constructor(pipeline: Pipeline, imageToken: number) {
    this.#pipeline = pipeline;
    this.imageToken = imageToken;
    const forward = pipeline.embedAndForward.bind(pipeline);
    pipeline.embedAndForward = (data, length) => forward(this.#isShowing ? [{ url: NAME }] : data, length);
  }

  /** @returns undefined where the model takes no images, or this version of WebLLM takes them in another way */
  static of(engine: WebLlmEngine, modelId: string, { addedTokens }: TextTokenizer): ImageInput | undefined {
    const pipeline = pipelineOf<Pipeline>(engine, modelId);
    const imageToken = addedTokens.get(PLACEHOLDER);
    const isKnown =
      pipeline?.config?.model_type === MODEL_TYPE &&
      pipeline.image_embed !== undefined &&
      typeof pipeline.prefillChunkSize === 'number' &&
      pipeline.imageDataCache instanceof Map &&
      typeof pipeline.calculateCropShape === 'function' &&
      typeof pipeline.computeImageEmbedSize === 'function' &&
      typeof pipeline.embedAndForward === 'function';
    return isKnown && imageToken !== undefined ? new ImageInput(pipeline as Pipeline, imageToken) : undefined;
  }

  async read(part: ImagePart): Promise<ShownImage> {
    const key = await imageKey(part);
    const places = this.#places.get(key) ?? this.#measure(await drawImage(part, MOST_PIXELS));
    this.#remember(key, places);
    return { text: PLACEHOLDER.repeat(places) + BEHIND_IMAGE, places, key, part };
  }

  /**
   * Lets the image be read in place of the next pass's tokens, of which there must be one for each of its places.
   * @param pass one call of `forwardTokensAndSample`
   */
  async show<Result>(part: ImagePart, pass: () => Promise<Result>): Promise<Result> {
    this.#pipeline.imageDataCache.set(NAME, await drawImage(part, MOST_PIXELS));
    this.#isShowing = true;
    try {
      this.encodedImages += 1;
      return await pass();
    } finally {
      this.#isShowing = false;
      this.#pipeline.imageDataCache.delete(NAME);
    }
  }

  #measure({ width, height }: ImageData): number {
    const refuse = (because: string): InferenceError =>
      new InferenceError(
        'invalid_media',
        `The model cannot take an image of ${width} x ${height} pixels: ${because}.`,
        {
          param: 'messages',
        },
      );
    if (this.#pipeline.calculateCropShape(height, width).some((tiles) => tiles < 1))
      throw refuse('one side is too much longer than the other');
    const places = this.#pipeline.computeImageEmbedSize(height, width);
    const most = this.#pipeline.prefillChunkSize;
    if (places > most) throw refuse(`it becomes ${places} tokens, and the model reads ${most} at once`);
    return places;
  }

  #remember(key: number, places: number): void {
    this.#places.delete(key);
    this.#places.set(key, places);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST_REMEMBERED) break;
      this.#places.delete(oldest);
    }
  }
}
