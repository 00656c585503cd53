/** The image cache: each image is processed once and encoded once, as long as there is room. @module */
import { RawImage } from '@huggingface/transformers';
import type { ImageReader } from '../../../language/decoding/text-engine.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { encodeTrustedText } from '../../../language/prompt/encode-prompt.js';
import type { PromptImage } from '../../../language/prompt/prompt-image.js';
import type { TextTokenizer } from '../../../language/prompt/text-tokenizer.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { ImagePart } from '../../../core/request/message.js';
import { drawImage, imageKey } from '../../common/image-pixels.js';
import { PromptLayout, type VisionImage } from './prompt-layout.js';
import type { VisionEncoder } from './vision-encoder.js';
import type { ImageInputs, VisionProcessor } from './vision-processor.js';

/** Maximum size of the cached encoder inputs and outputs, in bytes. */
const MAX_CACHE_BYTES = 192 * 2 ** 20;

interface CachedImage {
  image: VisionImage;
  /** Inputs of the encoder; undefined once it has run. */
  inputs: ImageInputs | undefined;
  features: Float32Array | undefined;
  bytes: number;
}

export interface ImageCacheOptions {
  processor: VisionProcessor;
  encoder: VisionEncoder;
  tokenizer: TextTokenizer;
  /** Runs work while no other session of the engine runs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** @default 192 MiB */
  maxBytes?: number;
}

/** Finds images by a hash of their bytes. The least recently used ones are evicted. */
export class ImageCache implements ImageReader {
  readonly placeholder: string;
  readonly #options: ImageCacheOptions;
  readonly #maxBytes: number;
  /** By key, least recently used first. */
  readonly #cached = new Map<number, CachedImage>();

  constructor(options: ImageCacheOptions) {
    this.placeholder = options.processor.placeholder;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_CACHE_BYTES;
  }

  async read(part: ImagePart, caller?: GenerationRequest['caller']): Promise<VisionImage> {
    const key = await imageKey(part, caller);
    const { image } = await this.#options.alone(async () => this.#recall(key) ?? this.#process(part, key));
    // The bytes belong to the request; the cache must not keep them alive.
    return { ...image, part };
  }

  /** The image's vectors, one for each of its tokens. */
  async features(image: VisionImage): Promise<Float32Array> {
    return this.#options.alone(async () => {
      const cached = this.#recall(image.key);
      if (cached?.features) return cached.features;
      const inputs = cached?.inputs ?? (await this.#process(image.part, image.key)).inputs!;
      const { data: features, count } = await this.#options.encoder.encode(inputs);
      if (count !== image.tokenCount) {
        throw new InferenceError(
          'model_not_supported',
          `The vision encoder of this model gave ${count} vectors for an image that takes ${image.tokenCount} tokens of the prompt, so its files do not belong together.`,
          { param: 'model' },
        );
      }
      this.#store({ image, inputs: undefined, features, bytes: features.byteLength });
      return features;
    });
  }

  /** The layout of a prompt. @param images as `read` gave them, in the order of the prompt */
  layOut(tokens: readonly number[], images: readonly PromptImage[]): PromptLayout {
    const { encoder } = this.#options;
    const visionImages = images as readonly VisionImage[];
    const grids = visionImages.flatMap(({ grid }) => grid ?? []);
    return new PromptLayout({
      tokens,
      images: visionImages,
      imageToken: encoder.imageToken,
      features: (image) => this.features(image),
      positions: grids.length > 0 ? encoder.positions(tokens, grids) : undefined,
    });
  }

  #recall(key: number): CachedImage | undefined {
    const cached = this.#cached.get(key);
    if (!cached) return undefined;
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    return cached;
  }

  async #process(part: ImagePart, key: number): Promise<CachedImage> {
    const { processor, encoder, tokenizer } = this.#options;
    const { text, inputs } = await processor.process(await rawImage(part), part.detail);
    const tokenCount = encodeTrustedText(text, tokenizer).filter((token) => token === encoder.imageToken).length;
    if (tokenCount === 0)
      throw new InferenceError('internal', 'The model’s processor wrote no placeholder for an image into the prompt.');
    const bytes = Object.values(inputs).reduce((sum, { data }) => sum + (data as Uint8Array).byteLength, 0);
    const image = { text, tokenCount, key, part, grid: inputs['image_grid_thw'] };
    return this.#store({ image, inputs, features: undefined, bytes });
  }

  #store(cached: CachedImage): CachedImage {
    const { part, ...image } = cached.image;
    this.#cached.delete(image.key);
    this.#cached.set(image.key, { ...cached, image: { ...image, part: { ...part, bytes: NOTHING } } });
    let bytes = [...this.#cached.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, oldest] of this.#cached) {
      if (bytes <= this.#maxBytes || this.#cached.size === 1) break;
      bytes -= oldest.bytes;
      this.#cached.delete(key);
    }
    return cached;
  }
}

const NOTHING = new Uint8Array();

async function rawImage(part: ImagePart): Promise<RawImage> {
  const { data, width, height } = await drawImage(part);
  return new RawImage(data, width, height, 4);
}
