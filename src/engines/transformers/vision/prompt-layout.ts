/** Where the images of a prompt are: vectors and positions for each of their tokens. @module */
import type { Tensor } from '@huggingface/transformers';
import { type ImageVector, imageVectors, type PromptImage, promptKeys } from '../../../language/prompt/prompt-image.js';
import type { RopePositions } from './vision-encoder.js';
import type { ImagePart } from '../../../core/request/message.js';

export interface VisionImage extends PromptImage {
  part: ImagePart;
  /** Rows and columns of patches, where the model asks for them. */
  grid: Tensor | undefined;
}

interface PromptLayoutOptions {
  tokens: readonly number[];
  /** In the order of the prompt. */
  images: readonly VisionImage[];
  /** Token id of images. */
  imageToken: number;
  /** Vectors of an image. */
  features: (image: VisionImage) => Promise<Float32Array>;
  /** Undefined: the model counts tokens. */
  positions: RopePositions | undefined;
}

/** One for each sequence whose prompt has images. */
export class PromptLayout {
  /** The prompt's tokens, with the key of its image for each image token: prompts with equal keys are equal. */
  readonly keys: readonly number[];
  readonly #options: PromptLayoutOptions;
  readonly #vectors: ReadonlyMap<number, ImageVector<VisionImage>>;
  readonly #features = new Map<VisionImage, Float32Array>();

  /** @throws Error when the prompt has another number of image tokens than its images */
  constructor(options: PromptLayoutOptions) {
    const { tokens, images, imageToken } = options;
    this.#options = options;
    this.#vectors = imageVectors(tokens, images, imageToken);
    this.keys = promptKeys(tokens, this.#vectors);
  }

  /** Encodes the images that have tokens from `start` to before `end`. */
  async prepare(start: number, end: number): Promise<void> {
    for (let position = start; position < end; position++) {
      const image = this.#vectors.get(position)?.image;
      if (image && !this.#features.has(image)) this.#features.set(image, await this.#options.features(image));
    }
  }

  /** The vector at a position that has been prepared; undefined: the token's own. */
  vectorAt(position: number): Float32Array | undefined {
    const found = this.#vectors.get(position);
    const features = found && this.#features.get(found.image);
    if (!features) return undefined;
    const width = features.length / found.image.tokenCount;
    return features.subarray(found.vector * width, (found.vector + 1) * width);
  }

  /** One of the three numbers that say where a token is. */
  positionAt(position: number, axis: 0 | 1 | 2): bigint {
    const { positions, tokens } = this.#options;
    if (!positions) return BigInt(position);
    return position < tokens.length
      ? positions.prompt[axis * tokens.length + position]!
      : BigInt(position) + positions.delta;
  }
}
