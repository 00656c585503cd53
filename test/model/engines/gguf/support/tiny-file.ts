/** GGUF files of made decoders with some hundred thousand weights, which say words without a meaning. */
import type { TensorKind } from '../../../../../src/model/engines/gguf/file/tensor-kinds.js';
import { type MetadataInput, type TensorInput, writeGguf } from './write-gguf.js';

export interface TinyFile {
  architecture?: 'llama' | 'qwen2' | 'qwen3';
  /** Of the matrices. */
  kind?: TensorKind;
  metadata?: Record<string, MetadataInput>;
  /** Further tensors, or others in the place of the usual ones. */
  tensors?: readonly TensorInput[];
  /** Names of tensors that are left out. */
  without?: readonly string[];
}

const [WIDTH, HEADS, KV_HEADS, HEAD, INNER, LAYERS] = [64, 4, 2, 16, 96, 2];

const TEMPLATE =
  "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** Printable ASCII as single tokens, some words, and what the template writes. */
function vocabulary(): Record<string, MetadataInput> {
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index).replace(' ', 'Ġ'));
  const words = ['he', 'll', 'Ġw', 'or', 'th', 'Ġa', 'Ġs'];
  const control = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'];
  const tokens = [...characters, 'Ċ', ...words, ...control];
  const merges = words.map((word) => Array.from(word).join(' '));
  return {
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'smollm',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map((token) => (control.includes(token) ? 3 : 1)),
    'tokenizer.ggml.merges': merges,
    'tokenizer.ggml.eos_token_id': tokens.indexOf('<|im_end|>'),
    'tokenizer.chat_template': TEMPLATE,
  };
}

/** A whole file. */
export function tinyFile(options: TinyFile = {}): Uint8Array<ArrayBuffer> {
  const { architecture = 'llama', kind = 'Q8_0', metadata = {}, tensors = [], without = [] } = options;
  const texts = vocabulary();
  const count = (texts['tokenizer.ggml.tokens'] as string[]).length;
  let seed = 7;
  const random = (length: number, size: number, around = 0): Float32Array =>
    Float32Array.from({ length }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return around + size * (seed / 2 ** 31 - 1);
    });
  const matrix = (name: string, columns: number, rows: number, size = 1.5 / Math.sqrt(columns)): TensorInput => ({
    name,
    shape: [columns, rows],
    kind,
    data: random(columns * rows, size),
  });
  const vector = (name: string, length: number, around: number): TensorInput => ({
    name,
    shape: [length],
    kind: 'F32',
    data: random(length, 0.2, around),
  });
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const of = (part: string): string => `blk.${layer}.${part}`;
    return [
      vector(of('attn_norm.weight'), WIDTH, 1),
      matrix(of('attn_q.weight'), WIDTH, HEADS * HEAD),
      matrix(of('attn_k.weight'), WIDTH, KV_HEADS * HEAD),
      matrix(of('attn_v.weight'), WIDTH, KV_HEADS * HEAD),
      matrix(of('attn_output.weight'), HEADS * HEAD, WIDTH),
      vector(of('ffn_norm.weight'), WIDTH, 1),
      matrix(of('ffn_gate.weight'), WIDTH, INNER),
      matrix(of('ffn_up.weight'), WIDTH, INNER),
      matrix(of('ffn_down.weight'), INNER, WIDTH),
      ...(architecture === 'qwen2'
        ? [
            vector(of('attn_q.bias'), HEADS * HEAD, 0),
            vector(of('attn_k.bias'), KV_HEADS * HEAD, 0),
            vector(of('attn_v.bias'), KV_HEADS * HEAD, 0),
          ]
        : []),
      ...(architecture === 'qwen3'
        ? [vector(of('attn_q_norm.weight'), HEAD, 1), vector(of('attn_k_norm.weight'), HEAD, 1)]
        : []),
    ];
  });
  const usual = [
    matrix('token_embd.weight', WIDTH, count, 1),
    vector('output_norm.weight', WIDTH, 0.6),
    ...layers.flat(),
  ];
  const others = new Set([...without, ...tensors.map(({ name }) => name)]);
  return writeGguf({
    metadata: {
      'general.architecture': architecture,
      'general.name': 'Tiny',
      [`${architecture}.context_length`]: 512,
      [`${architecture}.embedding_length`]: WIDTH,
      [`${architecture}.block_count`]: LAYERS,
      [`${architecture}.feed_forward_length`]: INNER,
      [`${architecture}.attention.head_count`]: HEADS,
      [`${architecture}.attention.head_count_kv`]: KV_HEADS,
      [`${architecture}.attention.layer_norm_rms_epsilon`]: 1e-5,
      [`${architecture}.rope.freq_base`]: 10_000,
      ...texts,
      ...metadata,
    },
    tensors: [...usual.filter(({ name }) => !others.has(name)), ...tensors],
  });
}
