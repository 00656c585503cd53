/** The shapes of the bench's models in GGUF files, with random weights. */
import { F32, GgufFile } from './gguf-file.js';
import { SHAPE } from './random-decoder.js';
import { randomBytes } from './random-bytes.js';
import { randomTokenizer, SPECIAL_TOKENS, TEMPLATE } from './random-tokenizer.js';

/** What a file can be in. */
export type GgufPrecision = 'Q8_0' | 'Q4_0' | 'Q4_K_M';

/** A kind of tensor, with blocks of weights that share a scale. */
interface Kind {
  /** Of the format. */
  type: number;
  /** Weights of a block, and the bytes that they take. */
  block: number;
  bytes: number;
  /** Standard deviation of codes from which all are equally likely, times the factor of their part of a block. */
  spread: number;
  /** Writes what is not a code. @param scale of codes */
  mark(block: DataView, scale: number): void;
}

const half = (block: DataView, at: number, value: number): void => block.setUint16(at, halfOf(value), true);
const first = (block: DataView, scale: number): void => half(block, 0, scale);

const KINDS = {
  Q8_0: { type: 8, block: 32, bytes: 34, spread: 74, mark: first },
  Q4_0: { type: 2, block: 32, bytes: 18, spread: 4.6, mark: first },
  Q5_0: { type: 6, block: 32, bytes: 22, spread: 9.2, mark: first },
  Q4_K: {
    type: 12,
    block: 256,
    bytes: 144,
    spread: 4.6 * 32,
    mark(block, scale) {
      half(block, 0, scale);
      half(block, 2, 7.5 * scale);
      // All factors are 32: six bits each.
      for (let at = 4; at < 16; at++) block.setUint8(at, at < 12 ? 160 : 0);
    },
  },
  Q6_K: {
    type: 14,
    block: 256,
    bytes: 210,
    spread: 18.5 * 16,
    mark(block, scale) {
      for (let at = 192; at < 208; at++) block.setInt8(at, 16);
      half(block, 208, scale);
    },
  },
} satisfies Record<string, Kind>;

type KindName = keyof typeof KINDS;

/** As llama.cpp quantizes: rows that are no multiple of 256 fall back to blocks of 32. */
function kindOf(precision: GgufPrecision, name: string, layer: number, columns: number): KindName {
  if (precision !== 'Q4_K_M') return precision === 'Q4_0' && name === 'token_embd' ? 'Q8_0' : precision;
  const isMore = name === 'token_embd' || (/attn_v|ffn_down/.test(name) && layer % 2 === 0);
  if (columns % 256 === 0) return isMore ? 'Q6_K' : 'Q4_K';
  return isMore ? 'Q8_0' : 'Q5_0';
}

/** `llama.cpp`'s numbers for kinds of tokens. */
const [ORDINARY, CONTROL] = [1, 3];

export function randomGguf(seed: number, precision: GgufPrecision, shape = SHAPE): GgufFile {
  const { hidden, layers, heads, keyHeads, width, inner, vocabulary, context, theta } = shape;
  const file = new GgufFile();
  const architecture = shape.biases ? 'qwen2' : 'llama';
  file.text('general.architecture', architecture);
  const numbers = {
    context_length: context,
    embedding_length: hidden,
    block_count: layers,
    feed_forward_length: inner,
    'attention.head_count': heads,
    'attention.head_count_kv': keyHeads,
    'rope.dimension_count': width,
    vocab_size: vocabulary,
  };
  for (const [name, value] of Object.entries(numbers)) file.integer(`${architecture}.${name}`, value);
  file.float(`${architecture}.attention.layer_norm_rms_epsilon`, 1e-5);
  file.float(`${architecture}.rope.freq_base`, theta);
  addTokenizer(file, vocabulary);

  let next = seed;
  const matrix = (name: string, rows: number, columns: number, deviation: number, layer = 0): void => {
    next = (Math.imul(next, 1664525) + 1013904223) | 0;
    const part = name.slice(name.lastIndexOf('.') + 1);
    const kind: Kind = KINDS[kindOf(precision, part, layer, columns)];
    const blocks = randomBlocks(kind, rows * columns, next, deviation);
    // A head never says a special token, which could end an answer.
    if (part === 'token_embd') blocks.fill(0, 0, ((SPECIAL_TOKENS.length * columns) / kind.block) * kind.bytes);
    file.tensor(`${name}.weight`, kind.type, [columns, rows], blocks);
  };
  const ones = new Uint8Array(new Float32Array(hidden).fill(1).buffer);
  const norm = (name: string): void => file.tensor(`${name}.weight`, F32, [hidden], ones);
  matrix('token_embd', vocabulary, hidden, 0.02);
  norm('output_norm');
  for (let layer = 0; layer < layers; layer++) {
    const name = `blk.${layer}.`;
    norm(`${name}attn_norm`);
    norm(`${name}ffn_norm`);
    matrix(`${name}attn_q`, heads * width, hidden, hidden ** -0.5, layer);
    matrix(`${name}attn_k`, keyHeads * width, hidden, hidden ** -0.5, layer);
    matrix(`${name}attn_v`, keyHeads * width, hidden, hidden ** -0.5, layer);
    if (shape.biases)
      for (const [part, count] of [
        ['q', heads],
        ['k', keyHeads],
        ['v', keyHeads],
      ] as const)
        file.tensor(`${name}attn_${part}.bias`, F32, [count * width], new Uint8Array(4 * count * width));
    matrix(`${name}attn_output`, hidden, heads * width, hidden ** -0.5, layer);
    matrix(`${name}ffn_gate`, inner, hidden, hidden ** -0.5, layer);
    matrix(`${name}ffn_up`, inner, hidden, hidden ** -0.5, layer);
    matrix(`${name}ffn_down`, hidden, inner, inner ** -0.5, layer);
  }
  return file;
}

function addTokenizer(file: GgufFile, vocabulary: number): void {
  const { model } = randomTokenizer(vocabulary) as { model: { vocab: Record<string, number> } };
  const tokens = Object.entries(model.vocab)
    .toSorted(([, a], [, b]) => a - b)
    .map(([token]) => token);
  file.text('tokenizer.ggml.model', 'gpt2');
  // The one way of splitting that takes words of the vocabulary as they are, without merges.
  file.text('tokenizer.ggml.pre', 'llama-bpe');
  file.texts('tokenizer.ggml.tokens', tokens);
  file.integers(
    'tokenizer.ggml.token_type',
    tokens.map((token) => (SPECIAL_TOKENS.includes(token) ? CONTROL : ORDINARY)),
  );
  file.texts('tokenizer.ggml.merges', ['t h']);
  file.integer('tokenizer.ggml.bos_token_id', 1);
  file.integer('tokenizer.ggml.eos_token_id', 2);
  file.flag('tokenizer.ggml.add_bos_token', false);
  file.text('tokenizer.chat_template', TEMPLATE);
}

function randomBlocks(kind: Kind, count: number, seed: number, deviation: number): Uint8Array {
  const blocks = randomBytes((count / kind.block) * kind.bytes, seed);
  for (let at = 0; at < blocks.length; at += kind.bytes)
    kind.mark(new DataView(blocks.buffer, at, kind.bytes), deviation / kind.spread);
  return blocks;
}

/** The bits of a 16-bit float. @param value from 0.00007 to 1 */
function halfOf(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) + Math.floor((value / 2 ** exponent - 1) * 1024);
}
