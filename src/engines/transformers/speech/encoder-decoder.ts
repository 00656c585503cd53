/** Encoder and decoder sessions of one recogniser, with the decoder's KV cache. @module */
import type { PreTrainedModel } from '@huggingface/transformers';
import { notSupported } from '../repository/not-supported.js';
import type { AlignmentHead } from './whisper-config.js';
import { createTensor, type OnnxSession, type OnnxTensor, type OnnxValueInfo, toFloat32 } from '../ort/onnx-session.js';

const PAST = 'past_key_values.';
const PRESENT = 'present.';

/** What a decoder may ask for beside its cache. */
const INPUTS = new Set([
  'input_ids',
  'encoder_hidden_states',
  'encoder_attention_mask',
  'use_cache_branch',
  'attention_mask',
  'position_ids',
  'num_logits_to_keep',
]);

function attentionName(layer: number): string {
  return `cross_attentions.${layer}`;
}

/** A session that computes only the outputs in `fetches`. */
export interface RuntimeSession extends Omit<OnnxSession, 'run'> {
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, OnnxTensor>>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
}

/** The encoder's output for one window of sound. */
export interface EncodedSound {
  states: OnnxTensor;
  /** Which of the encoder's inputs are sound; absent: all. */
  mask?: OnnxTensor | undefined;
  dispose(): void;
}

type Cache = Map<string, OnnxTensor>;

/** @throws InferenceError `model_not_supported` for a model of other graphs, and a decoder with inputs that are unknown here */
export function openEncoderDecoder(model: PreTrainedModel): EncoderDecoder {
  const sessions = model.sessions as Record<string, RuntimeSession | undefined>;
  const [encoder, decoder] = [sessions['model'], sessions['decoder_model_merged']];
  if (!encoder || !decoder) throw notSupported('it is not an encoder and a decoder with a cache');
  const other = decoder.inputNames.find((name) => !name.startsWith(PAST) && !INPUTS.has(name));
  if (other !== undefined) throw notSupported(`its decoder has the input \`${other}\`, which cannot be filled here`);
  return new EncoderDecoder(encoder, decoder);
}

/** Runs the two graphs. One decoding at a time. */
export class EncoderDecoder {
  readonly #encoder: RuntimeSession;
  readonly #decoder: RuntimeSession;

  constructor(encoder: RuntimeSession, decoder: RuntimeSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
  }

  /** @param inputs by their names; those that the graph does not know are left out */
  async encode(inputs: Readonly<Record<string, OnnxTensor>>): Promise<EncodedSound> {
    const { inputNames, outputNames } = this.#encoder;
    const feeds = Object.fromEntries(Object.entries(inputs).filter(([name]) => inputNames.includes(name)));
    const output = outputNames.includes('last_hidden_state') ? 'last_hidden_state' : outputNames[0]!;
    const results = await this.#encoder.run(feeds, [output]);
    const states = results[output]!;
    return { states, mask: inputs['attention_mask'], dispose: () => states.dispose() };
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
    const decoding = new Decoding(this.#decoder, sound, heads);
    await decoding.append(...prefix);
    return decoding;
  }
}

/** One run of the decoder over one window. */
export class Decoding {
  readonly #decoder: RuntimeSession;
  readonly #sound: EncodedSound;
  readonly #heads: readonly AlignmentHead[];
  readonly #cache: Cache = new Map();
  #length = 0;
  #logits: Float32Array = new Float32Array(0);
  #rows = 0;
  #attention: Float32Array[] = [];

  constructor(decoder: RuntimeSession, sound: EncodedSound, heads: readonly AlignmentHead[]) {
    this.#decoder = decoder;
    this.#sound = sound;
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

  /** Frees the KV cache. */
  close(): void {
    for (const tensor of this.#cache.values()) tensor.dispose();
    this.#cache.clear();
  }

  /** Adds tokens. */
  async append(...tokens: readonly number[]): Promise<void> {
    const past = this.#decoder.inputMetadata.filter(({ name }) => name.startsWith(PAST));
    const isFirst = this.#length === 0;
    const feeds = this.#feeds(tokens);
    for (const info of past) feeds[info.name] = this.#cache.get(info.name) ?? emptyCache(info);
    // Keys and values of the cross attention never change: graphs output them with the first tokens only.
    const wanted = past.filter(({ name }) => isFirst || !name.includes('.encoder.'));
    const attentions = [...new Set(this.#heads.map(({ layer }) => attentionName(layer)))];
    const presents = wanted.map(({ name }) => name.replace(PAST, PRESENT));
    const results = await this.#decoder.run(feeds, ['logits', ...presents, ...attentions]);
    for (const { name } of wanted) {
      this.#cache.get(name)?.dispose();
      this.#cache.set(name, results[name.replace(PAST, PRESENT)]!);
    }
    const logits = results['logits']!;
    this.#logits = toFloat32(await logits.getData());
    this.#rows = tokens.length;
    this.#length += tokens.length;
    logits.dispose();
    this.#attention = await this.#lastRows(results);
    for (const name of attentions) results[name]!.dispose();
  }

  /** All inputs but the cache. */
  #feeds(tokens: readonly number[]): Record<string, OnnxTensor> {
    const [from, length] = [this.#length, this.#length + tokens.length];
    const { states, mask } = this.#sound;
    const [, encoded = 0, width = 0] = states.dims;
    // The branch with a cache does not read the encoder's states, so they need not be copied again.
    const isCached = from > 0 && this.#decoder.inputNames.includes('use_cache_branch');
    const all: Record<string, OnnxTensor> = {
      input_ids: whole(tokens),
      encoder_hidden_states: isCached ? zeros(this.#typeOf('encoder_hidden_states'), [1, 1, width]) : states,
      encoder_attention_mask: mask ?? whole(new Uint8Array(encoded).fill(1)),
      use_cache_branch: createTensor('bool', Uint8Array.of(from > 0 ? 1 : 0), [1]),
      attention_mask: whole(new Uint8Array(length).fill(1)),
      position_ids: whole(Array.from(tokens, (_, at) => from + at)),
      // Of all tokens.
      num_logits_to_keep: createTensor('int64', BigInt64Array.of(0n), []),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => this.#decoder.inputNames.includes(name)));
  }

  #typeOf(input: string): string | undefined {
    return this.#decoder.inputMetadata.find(({ name }) => name === input)?.type;
  }

  /** Attentions are `[1, heads, tokens, states]`. */
  async #lastRows(results: Readonly<Record<string, OnnxTensor>>): Promise<Float32Array[]> {
    const rows: Float32Array[] = [];
    for (const { layer, head } of this.#heads) {
      const tensor = results[attentionName(layer)]!;
      const data = toFloat32(await tensor.getData());
      const states = data.length / (tensor.dims[1]! * this.#rows);
      const end = (head + 1) * this.#rows * states;
      rows.push(data.slice(end - states, end));
    }
    return rows;
  }
}

/** One row of whole numbers. */
function whole(values: Iterable<number>): OnnxTensor {
  const data = BigInt64Array.from(values, BigInt);
  return createTensor('int64', data, [1, data.length]);
}

/** A cache before the first token: dimensions with a name are empty, but for that of the rows. */
function emptyCache({ type, shape }: OnnxValueInfo): OnnxTensor {
  return zeros(
    type,
    shape.map((dim) => (typeof dim === 'number' ? dim : dim.startsWith('batch') ? 1 : 0)),
  );
}

/** In the precision that the graph asks for. */
function zeros(type: string | undefined, dims: readonly number[]): OnnxTensor {
  const size = dims.reduce((product, dim) => product * dim, 1);
  return type === 'float16'
    ? createTensor('float16', new Uint16Array(size), dims)
    : createTensor('float32', new Float32Array(size), dims);
}
