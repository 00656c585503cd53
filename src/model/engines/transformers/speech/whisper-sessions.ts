/** Encoder and decoder sessions of one Whisper model, with the decoder's KV cache. @module */
import type { AlignmentHead } from './whisper-config.js';
import { createTensor, type OnnxSession, type OnnxTensor, toFloat32 } from '../text/onnx-session.js';

function attentionName(layer: number): string {
  return `cross_attentions.${layer}`;
}

/** A session that computes only the outputs in `fetches`. */
export interface RuntimeSession extends Omit<OnnxSession, 'run'> {
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, OnnxTensor>>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
}

/** Shape of the decoder's KV cache, from the model's config. */
export interface DecoderShape {
  heads: number;
  headSize: number;
  /** Width of the encoder's states. */
  width: number;
}

/** The encoder's output for one window of sound. */
export interface EncodedSound {
  states: OnnxTensor;
  dispose(): void;
}

type Cache = Map<string, OnnxTensor>;

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
    const input = createTensor('float32', features, [1, bands, features.length / bands]);
    const output = this.#encoder.outputNames.includes('last_hidden_state')
      ? 'last_hidden_state'
      : this.#encoder.outputNames[0]!;
    const results = await this.#encoder.run({ input_features: input }, [output]);
    const states = results[output]!;
    return { states, dispose: () => states.dispose() };
  }

  /** Whether the decoder outputs the attention of these heads. */
  shows(heads: readonly AlignmentHead[]): boolean {
    return heads.length > 0 && heads.every(({ layer }) => this.#decoder.outputNames.includes(attentionName(layer)));
  }

  /**
   * Starts a decoding; `logits` are then those after each token of `prefix`.
   * @param heads whose attention is read; see `shows`
   */
  async start(sound: EncodedSound, prefix: readonly number[], heads: readonly AlignmentHead[] = []): Promise<Decoding> {
    const decoding = new Decoding(this.#decoder, this.#shape, { pastNames: this.#pastNames, heads });
    await decoding.begin(sound, prefix);
    return decoding;
  }
}

/** One run of the decoder over one window. */
export class Decoding {
  readonly #decoder: RuntimeSession;
  readonly #shape: DecoderShape;
  readonly #pastNames: readonly string[];
  readonly #heads: readonly AlignmentHead[];
  readonly #cache: Cache = new Map();
  #logits: Float32Array = new Float32Array(0);
  #rows = 0;
  #attention: Float32Array[] = [];

  constructor(
    decoder: RuntimeSession,
    shape: DecoderShape,
    { pastNames, heads }: { pastNames: readonly string[]; heads: readonly AlignmentHead[] },
  ) {
    this.#decoder = decoder;
    this.#shape = shape;
    this.#pastNames = pastNames;
    this.#heads = heads;
  }

  /** Attention of each head in the last step: a weight per state of the encoder. */
  get attention(): Float32Array[] {
    return this.#attention;
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
    // The branch with a cache does not read the encoder's states, so they need not be copied again.
    const states = this.#zeros('encoder_hidden_states', [1, 1, this.#shape.width]);
    await this.#run([token], states, true);
  }

  /** Frees the KV cache. */
  close(): void {
    for (const tensor of this.#cache.values()) tensor.dispose();
    this.#cache.clear();
  }

  async #run(tokens: readonly number[], states: OnnxTensor, cached: boolean): Promise<void> {
    const { heads, headSize } = this.#shape;
    const feeds: Record<string, OnnxTensor> = {
      input_ids: createTensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      encoder_hidden_states: states,
      use_cache_branch: createTensor('bool', Uint8Array.of(cached ? 1 : 0), [1]),
    };
    for (const name of this.#pastNames) {
      feeds[`past_key_values.${name}`] =
        this.#cache.get(name) ?? this.#zeros(`past_key_values.${name}`, [1, heads, 0, headSize]);
    }
    // The branch with a cache does not output the keys and values of the cross attention, which never change.
    const wanted = this.#pastNames.filter((name) => !cached || name.includes('.decoder.'));
    const attentions = [...new Set(this.#heads.map(({ layer }) => attentionName(layer)))];
    const results = await this.#decoder.run(feeds, [
      'logits',
      ...wanted.map((name) => `present.${name}`),
      ...attentions,
    ]);
    for (const name of wanted) {
      this.#cache.get(name)?.dispose();
      this.#cache.set(name, results[`present.${name}`]!);
    }
    const logits = results['logits']!;
    this.#logits = toFloat32(await logits.getData());
    this.#rows = tokens.length;
    logits.dispose();
    this.#attention = await this.#lastRows(results);
    for (const name of attentions) results[name]!.dispose();
  }

  /** Attentions are `[1, heads, tokens, states]`. */
  async #lastRows(results: Readonly<Record<string, OnnxTensor>>): Promise<Float32Array[]> {
    const rows: Float32Array[] = [];
    for (const { layer, head } of this.#heads) {
      const tensor = results[attentionName(layer)]!;
      const data = toFloat32(await tensor.getData());
      const states = data.length / (this.#shape.heads * this.#rows);
      const end = (head + 1) * this.#rows * states;
      rows.push(data.slice(end - states, end));
    }
    return rows;
  }

  /** A tensor of zeros in the precision of the graph's input. */
  #zeros(input: string, dims: readonly number[]): OnnxTensor {
    const size = dims.reduce((product, dim) => product * dim, 1);
    const half = this.#decoder.inputMetadata.find(({ name }) => name === input)?.type === 'float16';
    return half
      ? createTensor('float16', new Uint16Array(size), dims)
      : createTensor('float32', new Float32Array(size), dims);
  }
}
