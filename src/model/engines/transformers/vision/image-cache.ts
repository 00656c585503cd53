/** The image cache: each image is processed once and encoded once, as long as there is room. @module */
import { RawImage } from '@huggingface/transformers';
import type { ImageReader } from '../../../decoding/text-engine.js';
import { InferenceError } from '../../../../core/errors/inference-error.js';
import { encodeTrustedText } from '../../../prompt/encode-prompt.js';
import type { PromptImage } from '../../../prompt/prompt-image.js';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import type { GenerationRequest } from '../../../../core/request/generation-request.js';
import type { ImagePart } from '../../../../core/request/message.js';
import { drawImage, imageKey } from '../../image-pixels.js';
import { PromptLayout, type VisionImage } from './prompt-layout.js';
import type { VisionEncoder } from './vision-encoder.js';
import type { ImageInputs, VisionProcessor } from './vision-processor.js';

/** Maximum size of the cached encoder inputs and outputs, in bytes. */
const MAX_CACHE_BYTES = 192 * 2 ** 20;

interface Kept {
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
  readonly #kept = new Map<number, Kept>();

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

  /** The image's vectors, one for each of its places. */
  async features(image: VisionImage): Promise<Float32Array> {
    return this.#options.alone(async () => {
      const kept = this.#recall(image.key);
      if (kept?.features) return kept.features;
      const inputs = kept?.inputs ?? (await this.#process(image.part, image.key)).inputs!;
      const { data: features, count } = await this.#options.encoder.encode(inputs);
      if (count !== image.places) {
        throw new InferenceError(
          'model_not_supported',
          `The vision encoder of this model gave ${count} vectors for an image that has ${image.places} places in the prompt: its files do not belong together.`,
          { param: 'model' },
        );
      }
      this.#keep({ image, inputs: undefined, features, bytes: features.byteLength });
      return features;
    });
  }

  /** The layout of a prompt. @param images as `read` gave them, in the order of their places */
  layOut(tokens: readonly number[], images: readonly PromptImage[]): PromptLayout {
    const { encoder } = this.#options;
    const seen = images as readonly VisionImage[];
    const grids = seen.flatMap(({ grid }) => grid ?? []);
    return new PromptLayout({
      tokens,
      images: seen,
      imageToken: encoder.imageToken,
      features: (image) => this.features(image),
      positions: grids.length > 0 ? encoder.positions(tokens, grids) : undefined,
    });
  }

  #recall(key: number): Kept | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  async #process(part: ImagePart, key: number): Promise<Kept> {
    const { processor, encoder, tokenizer } = this.#options;
    const { text, inputs } = await processor.process(await rawImage(part), part.detail);
    const places = encodeTrustedText(text, tokenizer).filter((token) => token === encoder.imageToken).length;
    if (places === 0)
      throw new InferenceError('internal', 'The model’s processor wrote no placeholder for an image into the prompt.');
    const bytes = Object.values(inputs).reduce((sum, { data }) => sum + (data as Uint8Array).byteLength, 0);
    const image = { text, places, key, part, grid: inputs['image_grid_thw'] };
    return this.#keep({ image, inputs, features: undefined, bytes });
  }

  #keep(kept: Kept): Kept {
    const { part, ...image } = kept.image;
    this.#kept.delete(image.key);
    this.#kept.set(image.key, { ...kept, image: { ...image, part: { ...part, bytes: NOTHING } } });
    let bytes = [...this.#kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, oldest] of this.#kept) {
      if (bytes <= this.#maxBytes || this.#kept.size === 1) break;
      bytes -= oldest.bytes;
      this.#kept.delete(key);
    }
    return kept;
  }
}

const NOTHING = new Uint8Array();

async function rawImage(part: ImagePart): Promise<RawImage> {
  const { data, width, height } = await drawImage(part);
  return new RawImage(data, width, height, 4);
}
