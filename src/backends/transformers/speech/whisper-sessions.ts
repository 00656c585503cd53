/** Encoder and decoder of one Whisper model, with the decoder's keys and values kept between tokens. @module */
import { Tensor } from '@huggingface/transformers';

/** ONNX Runtime's own tensor. */
interface RuntimeTensor {
  readonly dims: readonly number[];
  readonly data: unknown;
  getData(): Promise<unknown>;
  dispose(): void;
}

/** The part of ONNX Runtime's session that is used here. */
export interface RuntimeSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, unknown>, fetches: readonly string[]): Promise<Record<string, RuntimeTensor>>;
}

/** Shape of the decoder's keys and values, from the model's config. */
export interface DecoderShape {
  heads: number;
  headSize: number;
  /** Width of the encoder's states. */
  width: number;
}

/** What the encoder made of one window of sound. Freed with `dispose`. */
export interface EncodedSound {
  states: RuntimeTensor;
  dispose(): void;
}

type Cache = Map<string, RuntimeTensor>;

/** Runs the two graphs. One decoding at a time. */
export class WhisperSessions {
  readonly #encoder: RuntimeSession;
  readonly #decoder: RuntimeSession;
  readonly #shape: DecoderShape;
  readonly #pastNames: string[];

  constructor(encoder: RuntimeSession, decoder: RuntimeSession, shape: DecoderShape) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#shape = shape;
    this.#pastNames = decoder.inputNames
      .filter((name) => name.startsWith('past_key_values.'))
      .map((name) => name.slice('past_key_values.'.length));
  }

  /** @param features log-mel energies `[bands, frames]` */
  async encode(features: Float32Array, bands: number): Promise<EncodedSound> {
    const input = new Tensor('float32', features, [1, bands, features.length / bands]);
    const output = this.#encoder.outputNames.includes('last_hidden_state')
      ? 'last_hidden_state'
      : this.#encoder.outputNames[0]!;
    const results = await this.#encoder.run({ input_features: input.ort_tensor }, [output]);
    const states = results[output]!;
    return { states, dispose: () => states.dispose() };
  }

  /** Starts a decoding: `logits` are those after each token of `prefix`. */
  async start(sound: EncodedSound, prefix: readonly number[]): Promise<Decoding> {
    const decoding = new Decoding(this.#decoder, this.#shape, this.#pastNames);
    await decoding.begin(sound, prefix);
    return decoding;
  }
}

/** One transcript being written. */
export class Decoding {
  readonly #decoder: RuntimeSession;
  readonly #shape: DecoderShape;
  readonly #pastNames: readonly string[];
  readonly #cache: Cache = new Map();
  #logits: Float32Array = new Float32Array(0);
  #rows = 0;

  constructor(decoder: RuntimeSession, shape: DecoderShape, pastNames: readonly string[]) {
    this.#decoder = decoder;
    this.#shape = shape;
    this.#pastNames = pastNames;
  }

  /** Logits after the token at `row` of the last run; by default after its last. Valid until the next run. */
  logits(row: number = this.#rows - 1): Float32Array {
    const size = this.#logits.length / this.#rows;
    return this.#logits.subarray(row * size, (row + 1) * size);
  }

  async begin(sound: EncodedSound, prefix: readonly number[]): Promise<void> {
    await this.#run(prefix, sound.states, false);
  }

  /** Appends a token. */
  async append(token: number): Promise<void> {
    // The branch with a cache holds the encoder's keys and values already, so its states need not be copied again.
    const states = new Tensor('float32', new Float32Array(this.#shape.width), [1, 1, this.#shape.width]);
    await this.#run([token], states.ort_tensor as unknown as RuntimeTensor, true);
  }

  /** Frees the keys and values. */
  close(): void {
    for (const tensor of this.#cache.values()) tensor.dispose();
    this.#cache.clear();
  }

  async #run(tokens: readonly number[], states: RuntimeTensor, cached: boolean): Promise<void> {
    const { heads, headSize } = this.#shape;
    const feeds: Record<string, unknown> = {
      input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]).ort_tensor,
      encoder_hidden_states: states,
      use_cache_branch: new Tensor('bool', [cached], [1]).ort_tensor,
    };
    for (const name of this.#pastNames) {
      feeds[`past_key_values.${name}`] =
        this.#cache.get(name) ?? new Tensor('float32', new Float32Array(0), [1, heads, 0, headSize]).ort_tensor;
    }
    // The cross attention's keys and values never change, so the cached branch gives none; attentions are not wanted.
    const wanted = this.#pastNames.filter((name) => !cached || name.includes('.decoder.'));
    const results = await this.#decoder.run(feeds, ['logits', ...wanted.map((name) => `present.${name}`)]);
    for (const name of wanted) {
      this.#cache.get(name)?.dispose();
      this.#cache.set(name, results[`present.${name}`]!);
    }
    const logits = results['logits']!;
    this.#logits = (await logits.getData()) as Float32Array;
    this.#rows = tokens.length;
    logits.dispose();
  }
}
