/** Where the images of a prompt are: vectors and positions for each place. @module */
import type { Tensor } from '@huggingface/transformers';
import { type ImagePlace, imagePlaces, type PromptImage, promptKeys } from '../../../prompt/prompt-image.js';
import type { RopePositions } from './vision-encoder.js';
import type { ImagePart } from '../../../../core/request/message.js';

export interface VisionImage extends PromptImage {
  part: ImagePart;
  /** Rows and columns of patches, where the model asks for them. */
  grid: Tensor | undefined;
}

interface PromptLayoutOptions {
  tokens: readonly number[];
  /** In the order of their places. */
  images: readonly VisionImage[];
  /** Token id of a place. */
  imageToken: number;
  /** Vectors of an image. */
  features: (image: VisionImage) => Promise<Float32Array>;
  /** Absent: the model counts places. */
  positions: RopePositions | undefined;
}

/** One for each sequence whose prompt has images. */
export class PromptLayout {
  /** The prompt's tokens, with the key of its image at each place: prompts with equal keys are equal. */
  readonly keys: readonly number[];
  readonly #options: PromptLayoutOptions;
  readonly #places: ReadonlyMap<number, ImagePlace<VisionImage>>;
  readonly #features = new Map<VisionImage, Float32Array>();

  /** @throws Error when the prompt has another number of places than its images */
  constructor(options: PromptLayoutOptions) {
    const { tokens, images, imageToken } = options;
    this.#options = options;
    this.#places = imagePlaces(tokens, images, imageToken);
    this.keys = promptKeys(tokens, this.#places);
  }

  /** Lets the images be seen that have places from `start` to before `end`. */
  async prepare(start: number, end: number): Promise<void> {
    for (let place = start; place < end; place++) {
      const image = this.#places.get(place)?.image;
      if (image && !this.#features.has(image)) this.#features.set(image, await this.#options.features(image));
    }
  }

  /** The vector at a place that has been prepared; undefined: the token's own. */
  vectorAt(place: number): Float32Array | undefined {
    const found = this.#places.get(place);
    const features = found && this.#features.get(found.image);
    if (!features) return undefined;
    const width = features.length / found.image.places;
    return features.subarray(found.vector * width, (found.vector + 1) * width);
  }

  /** One of the three numbers that say where a place is. */
  positionAt(place: number, axis: 0 | 1 | 2): bigint {
    const { positions, tokens } = this.#options;
    if (!positions) return BigInt(place);
    return place < tokens.length ? positions.prompt[axis * tokens.length + place]! : BigInt(place) + positions.delta;
  }
}
