/** GGUF files of made decoders with some hundred thousand weights, which say words without a meaning. */
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { dequantize, quantize } from './quantize.js';
import { TINY_ARCHITECTURES, type TinyArchitecture, type TinyArchitectureName } from './tiny-architectures.js';
import { type GgufInput, type MetadataInput, type TensorInput, writeGguf } from './write-gguf.js';

export interface TinyFile {
  architecture?: TinyArchitectureName;
  /** Of the matrices. */
  kind?: TensorKind | ((name: string) => TensorKind);
  /** The numbers that the kind holds are written as 32-bit floats. */
  asFloats?: boolean;
  /** There is `output.weight` where the architecture has none by itself. */
  untied?: boolean;
  /** Numbers between layers, and inside feed-forward networks. */
  width?: number;
  inner?: number;
  /** Layers, where they are not those of the architecture. */
  layers?: number;
  /** Heads of queries and of keys, which then divide the width. */
  heads?: readonly [queries: number, keys: number];
  /** Rows of a matrix that differ; they repeat. Large files are made in a moment. */
  distinctRows?: number;
  metadata?: Record<string, MetadataInput>;
  /** Further tensors, or others in the place of the usual ones. */
  tensors?: readonly TensorInput[];
  /** Names of tensors that are left out. */
  without?: readonly string[];
}

const HEADS = [4, 2] as const;

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

/** Keys whose values are floats, whole numbers too. */
const FLOATS = /(?:freq_base(?:_swa)?|factor|yarn_beta_\w+|_scale|\.scale|softcapping|epsilon)$/;

/** A whole file. */
export function tinyFile(options: TinyFile = {}): Uint8Array<ArrayBuffer> {
  const { metadata, tensors } = tinyContent(options);
  const typed = Object.entries(metadata).map(([key, value]): [string, MetadataInput] => [
    key,
    typeof value === 'number' && FLOATS.test(key) ? { type: 'f32', value } : value,
  ]);
  return writeGguf({
    metadata: Object.fromEntries(typed),
    tensors: options.asFloats ? tensors.map(inFloats) : tensors,
  });
}

/** What a tensor's kind holds, as 32-bit floats. */
export function inFloats(tensor: TensorInput): TensorInput {
  const { kind, data } = tensor;
  if (!(data instanceof Float32Array)) return tensor;
  return { ...tensor, kind: 'F32', data: dequantize(kind, quantize(kind, data)) };
}

/** What is in it. */
export function tinyContent(options: TinyFile = {}): GgufInput {
  const { architecture = 'llama', metadata = {}, tensors = [], without = [], width = 64, inner = 96 } = options;
  const traits: TinyArchitecture = TINY_ARCHITECTURES[architecture];
  const { layers: layerCount = traits.layers } = options;
  const [heads, kvHeads] = options.heads ?? HEADS;
  const texts = { ...vocabulary(), ...metadata };
  const count = (texts['tokenizer.ggml.tokens'] as string[]).length;
  const head = options.heads ? width / heads : (traits.headSize ?? width / heads);
  const [queries, keys] = [heads * head, kvHeads * head];
  const sizes = { width, queries, keys, head, inner };
  const make = tensorMaker(options.kind ?? 'Q8_0', options.distinctRows);
  const layers = Array.from({ length: layerCount }, (_, layer) => {
    const of = (part: string): string => `blk.${layer}.${part}`;
    const projections: [string, number][] = traits.fused
      ? [['attn_qkv', queries + 2 * keys]]
      : [
          ['attn_q', queries],
          ['attn_k', keys],
          ['attn_v', keys],
        ];
    const gates: [string, number][] = traits.fused
      ? [['ffn_up', 2 * inner]]
      : [
          ['ffn_gate', inner],
          ['ffn_up', inner],
        ];
    return [
      ...[...projections, ...gates].map(([part, rows]) => make.matrix(of(`${part}.weight`), width, rows)),
      make.matrix(of('attn_output.weight'), queries, width),
      make.matrix(of('ffn_down.weight'), inner, width),
      ...Object.entries(traits.vectors).map(([part, size]) =>
        make.vector(of(part), sizes[size], part.endsWith('.bias') ? 0 : 1),
      ),
    ];
  });
  const usual = [
    make.matrix('token_embd.weight', width, count, 1),
    ...(traits.untied || options.untied ? [make.matrix('output.weight', width, count)] : []),
    make.vector('output_norm.weight', width, 0.6),
    ...layers.flat(),
  ];
  const others = new Set([...without, ...tensors.map(({ name }) => name)]);
  const below = (values: Readonly<Record<string, MetadataInput>>): Record<string, MetadataInput> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [`${architecture}.${key}`, value]));
  return {
    metadata: {
      'general.architecture': architecture,
      'general.name': 'Tiny',
      ...below({
        context_length: 512,
        embedding_length: width,
        block_count: layerCount,
        feed_forward_length: inner,
        'attention.head_count': heads,
        'attention.head_count_kv': kvHeads,
        'attention.layer_norm_rms_epsilon': 1e-5,
        'rope.freq_base': 10_000,
        ...traits.metadata,
        ...(options.heads && { 'attention.key_length': head, 'attention.value_length': head }),
      }),
      ...texts,
      ...metadata,
    },
    tensors: [...usual.filter(({ name }) => !others.has(name)), ...tensors],
  };
}

/** The bytes of so many values, of which the first ones are given. */
function repeated(kind: TensorKind, values: Float32Array, count: number): Uint8Array {
  const bytes = quantize(kind, values);
  const all = new Uint8Array((bytes.length / values.length) * count);
  for (let at = 0; at < all.length; at += bytes.length) all.set(bytes.subarray(0, all.length - at), at);
  return all;
}

function tensorMaker(kind: NonNullable<TinyFile['kind']>, distinctRows = Infinity) {
  let seed = 7;
  const random = (length: number, size: number, around = 0): Float32Array =>
    Float32Array.from({ length }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return around + size * (seed / 2 ** 31 - 1);
    });
  return {
    matrix(name: string, columns: number, rows: number, size = 1.5 / Math.sqrt(columns)): TensorInput {
      const own = typeof kind === 'string' ? kind : kind(name);
      const data = random(columns * Math.min(rows, distinctRows), size);
      const isWhole = rows <= distinctRows;
      return { name, shape: [columns, rows], kind: own, data: isWhole ? data : repeated(own, data, columns * rows) };
    },
    vector: (name: string, length: number, around: number): TensorInput => ({
      name,
      shape: [length],
      kind: 'F32',
      data: random(length, 0.2, around),
    }),
  };
}
