/** A model's vision encoder, and the positions of tokens in prompts with images. @module */
import { type PreTrainedModel, Tensor } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { toFloat32 } from '../ort/onnx-session.js';
import type { ImageInputs } from './vision-processor.js';

/** Methods of transformers.js's model classes that are not declared. */
interface ModelClass {
  encode_image(inputs: ImageInputs): Promise<Tensor>;
  _encode_vision?(inputs: ImageInputs): Promise<{ image_features: Tensor }>;
  get_rope_index?(
    ids: Tensor,
    grids: Tensor,
    videos: null,
    mask: null,
  ): [positions: Tensor, deltas: Tensor | readonly unknown[]];
}

/** Positions in a prompt with images: three numbers for each token. */
export interface RopePositions {
  /** `[3, tokens]`: time, height, width. */
  prompt: BigInt64Array;
  /** Is added to the index of a token after the prompt. */
  delta: bigint;
}

/** What an encoder gives for an image. */
export interface ImageVectors {
  /** One vector after the other. */
  data: Float32Array;
  /** How many there are. */
  count: number;
}

export class VisionEncoder {
  /** Token id of a place of an image. */
  readonly imageToken: number;
  /** Resolves when the encoder has failed: then the library fails all later runs, too. */
  readonly lost: Promise<InferenceError>;
  readonly #model: ModelClass;
  #lose: (error: InferenceError) => void = () => {};

  constructor(model: PreTrainedModel) {
    const config = model.config as unknown as Record<string, unknown>;
    this.imageToken = Number(config['image_token_id'] ?? config['image_token_index']);
    this.#model = model;
    this.lost = new Promise((resolve) => (this.#lose = resolve));
  }

  /** The vectors of an image. @throws InferenceError `unavailable`; later calls fail, too */
  async encode(inputs: ImageInputs): Promise<ImageVectors> {
    try {
      return await this.#encode(inputs);
    } catch (cause) {
      const error = new InferenceError('unavailable', 'The vision encoder failed.', { retryAfter: 5 }, { cause });
      this.#lose(error);
      throw error;
    }
  }

  async #encode(inputs: ImageInputs): Promise<ImageVectors> {
    // The method has another name for Gemma 3n and later.
    // oxlint-disable-next-line no-underscore-dangle -- the library's name
    const ownWay = this.#model._encode_vision?.bind(this.#model);
    const features = ownWay ? (await ownWay(inputs)).image_features : await this.#model.encode_image(inputs);
    const data = toFloat32(features.data);
    const count = data.length / features.dims.at(-1)!;
    features.dispose();
    return { data, count };
  }

  /**
   * Positions for a model whose images have rows and columns; undefined for other models.
   * @param grids of the prompt's images, each `[1, 3]`
   */
  positions(tokens: readonly number[], grids: readonly Tensor[]): RopePositions | undefined {
    if (!this.#model.get_rope_index) return undefined;
    const ids = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
    const sizes = grids.flatMap((grid) => [...(grid.data as BigInt64Array)]);
    const all = new Tensor('int64', BigInt64Array.from(sizes), [grids.length, 3]);
    const [positions] = this.#model.get_rope_index(ids, all, null, null);
    const prompt = positions.data as BigInt64Array;
    const last = prompt.reduce((most, position) => (position > most ? position : most), 0n);
    return { prompt, delta: last + 1n - BigInt(tokens.length) };
  }
}
