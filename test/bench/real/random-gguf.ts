/** The shape of the bench's model for llama.cpp, with random weights of 8 bits. */
import { F32, GgufFile, Q8_0 } from './gguf-file.js';
import { randomWeights, SHAPE, SPREAD } from './random-decoder.js';
import { randomTokenizer, SPECIAL_TOKENS } from './random-tokenizer.js';

/** Weights that share a scale, and the bytes that they take with it. */
const BLOCK = 32;
const BLOCK_BYTES = BLOCK + 2;

/** `llama.cpp`'s numbers for a file of 8 bits and for a token that no text makes. */
const MOSTLY_8_BITS = 7;
const [ORDINARY, CONTROL] = [1, 3];

export function randomGguf(seed: number): GgufFile {
  const { hidden, layers, heads, keyHeads, width, inner, vocabulary, context, theta } = SHAPE;
  const file = new GgufFile();
  file.text('general.architecture', 'llama');
  file.integer('general.file_type', MOSTLY_8_BITS);
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
  for (const [name, value] of Object.entries(numbers)) file.integer(`llama.${name}`, value);
  file.float('llama.attention.layer_norm_rms_epsilon', 1e-5);
  file.float('llama.rope.freq_base', theta);
  addTokenizer(file);

  let next = seed;
  const matrix = (name: string, rows: number, columns: number, deviation: number): void => {
    next = (Math.imul(next, 1664525) + 1013904223) | 0;
    file.tensor(`${name}.weight`, Q8_0, [columns, rows], randomBlocks(rows * columns, next, deviation / SPREAD));
  };
  const ones = new Uint8Array(new Float32Array(hidden).fill(1).buffer);
  const norm = (name: string): void => file.tensor(`${name}.weight`, F32, [hidden], ones);
  matrix('token_embd', vocabulary, hidden, 0.02);
  norm('output_norm');
  for (let layer = 0; layer < layers; layer++) {
    const name = `blk.${layer}.`;
    norm(`${name}attn_norm`);
    norm(`${name}ffn_norm`);
    matrix(`${name}attn_q`, heads * width, hidden, hidden ** -0.5);
    matrix(`${name}attn_k`, keyHeads * width, hidden, hidden ** -0.5);
    matrix(`${name}attn_v`, keyHeads * width, hidden, hidden ** -0.5);
    matrix(`${name}attn_output`, hidden, heads * width, hidden ** -0.5);
    matrix(`${name}ffn_gate`, inner, hidden, hidden ** -0.5);
    matrix(`${name}ffn_up`, inner, hidden, hidden ** -0.5);
    matrix(`${name}ffn_down`, hidden, inner, inner ** -0.5);
  }
  return file;
}

function addTokenizer(file: GgufFile): void {
  const { model } = randomTokenizer(SHAPE.vocabulary) as { model: { vocab: Record<string, number> } };
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
}

function randomBlocks(count: number, seed: number, scale: number): Uint8Array {
  const weights = new Uint8Array(randomWeights(count, seed).buffer);
  const blocks = new Uint8Array((count / BLOCK) * BLOCK_BYTES);
  const half = halfOf(scale);
  for (let block = 0; block < count / BLOCK; block++) {
    blocks[block * BLOCK_BYTES] = half & 255;
    blocks[block * BLOCK_BYTES + 1] = half >> 8;
    blocks.set(weights.subarray(block * BLOCK, (block + 1) * BLOCK), block * BLOCK_BYTES + 2);
  }
  return blocks;
}

/** The bits of a 16-bit float. @param value from 0.0001 to 1 */
function halfOf(value: number): number {
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) + Math.floor((value / 2 ** exponent - 1) * 1024);
}
