/**
 * WebLLM's image input without its chat API, which would write its own prompt: the internal function of a forward pass
 * takes tokens or an image, and is wrapped here.
 * @module
 */
import type { ImageReader } from '../../language/decoding/text-engine.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { PromptImage } from '../../language/prompt/prompt-image.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ImagePart } from '../../core/request/message.js';
import { drawImage, imageKey } from '../common/image-pixels.js';
import { internalPipeline, type WebLlmEngine } from './web-llm-environment.js';

/** An image of a forward pass. WebLLM looks its pixels up by this name before it fetches anything. */
interface NamedImage {
  url: string;
}

/** Fields of WebLLM's pipeline for image input. They are missing in its declarations. */
interface Pipeline {
  config: { model_type?: string };
  /** The kernel; absent in libraries of models without image input. */
  image_embed: object;
  /** Maximum number of tokens of a forward pass. */
  prefillChunkSize: number;
  imageDataCache: Map<string, ImageData>;
  /** Rows and columns of the tiles of an image. */
  calculateCropShape(height: number, width: number): [rows: number, columns: number];
  /** Number of tokens of an image. */
  computeImageEmbedSize(height: number, width: number): number;
  /** Every forward pass calls this. @param length number of tokens of all data together */
  embedAndForward(data: readonly (readonly number[] | NamedImage)[], length: number): Promise<unknown>;
}

/** The only model type whose image sizes WebLLM knows, and the placeholder in its prompts. */
const MODEL_TYPE = 'phi3_v';
const PLACEHOLDER = '<|image|>';

/** The model was trained with a line break after each image. */
const AFTER_IMAGE = '\n';

/** WebLLM takes 12 bytes of GPU memory per pixel, and the model sees at most 16 tiles of 336 by 336 pixels. */
const MAX_PIXELS = 2 ** 22;

/** Number of images whose number of tokens is cached. */
const MAX_REMEMBERED = 256;

/** Any string that is not a URL. */
const NAME = 'inpage-image';

/** An image of a prompt. */
export interface ShownImage extends PromptImage {
  part: ImagePart;
}

/** Image input of a WebLLM model: one image at a time, each in a forward pass of its own. */
export class ImageInput implements ImageReader {
  readonly placeholder = PLACEHOLDER;
  /** Id of the placeholder token. */
  readonly imageToken: number;
  readonly #pipeline: Pipeline;
  readonly #tokenCounts = new Map<number, number>();
  #isShowing = false;

  private constructor(pipeline: Pipeline, imageToken: number) {
    this.#pipeline = pipeline;
    this.imageToken = imageToken;
    const forward = pipeline.embedAndForward.bind(pipeline);
    pipeline.embedAndForward = (data, length) => forward(this.#isShowing ? [{ url: NAME }] : data, length);
  }

  /** @returns undefined when the model does not accept images, or this version of WebLLM takes them in another way */
  static of(engine: WebLlmEngine, modelId: string, { addedTokens }: TextTokenizer): ImageInput | undefined {
    const pipeline = internalPipeline<Pipeline>(engine, modelId);
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

  async read(part: ImagePart, caller?: GenerationRequest['caller']): Promise<ShownImage> {
    const key = await imageKey(part, caller);
    const tokenCount = this.#tokenCounts.get(key) ?? this.#measure(await drawImage(part, MAX_PIXELS));
    this.#remember(key, tokenCount);
    return { text: PLACEHOLDER.repeat(tokenCount) + AFTER_IMAGE, tokenCount, key, part };
  }

  /**
   * Runs a forward pass that reads the image in place of its tokens. It must have the token count of the image.
   * @param pass one call of `forwardTokensAndSample`
   */
  async show<Result>(part: ImagePart, pass: () => Promise<Result>): Promise<Result> {
    this.#pipeline.imageDataCache.set(NAME, await drawImage(part, MAX_PIXELS));
    this.#isShowing = true;
    try {
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
        `The model does not accept an image of ${width} x ${height} pixels: ${because}.`,
        {
          param: 'messages',
        },
      );
    if (this.#pipeline.calculateCropShape(height, width).some((tiles) => tiles < 1))
      throw refuse('one side is too much longer than the other');
    const tokenCount = this.#pipeline.computeImageEmbedSize(height, width);
    const most = this.#pipeline.prefillChunkSize;
    if (tokenCount > most) throw refuse(`it becomes ${tokenCount} tokens, and the model accepts at most ${most}`);
    return tokenCount;
  }

  #remember(key: number, tokenCount: number): void {
    this.#tokenCounts.delete(key);
    this.#tokenCounts.set(key, tokenCount);
    for (const oldest of this.#tokenCounts.keys()) {
      if (this.#tokenCounts.size <= MAX_REMEMBERED) break;
      this.#tokenCounts.delete(oldest);
    }
  }
}
