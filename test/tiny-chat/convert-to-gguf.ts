/** The bundled chat model as a GGUF file: the weights of its 8-bit ONNX graph, most of them as they are. @module */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, lastField, textOf } from '../../src/engines/transformers/onnx-file/protobuf.js';
import { dequantize, quantize, toHalf } from '../engines/gguf/support/quantize.js';
import { type GgufInput, type MetadataInput, type TensorInput, writeGguf } from '../engines/gguf/support/write-gguf.js';

/** Numbers of the fields of ONNX's messages. */
const [GRAPH, WEIGHT, DIMENSION, NAME, CONTENT] = [7, 5, 1, 8, 9];

/** Kinds of tokens of `tokenizer.ggml.token_type`. */
const [NORMAL, CONTROL] = [1, 3];

/** Numbers of a block of Q8_0. */
const BLOCK = 32;

interface Weight {
  dimensions: number[];
  bytes: Uint8Array<ArrayBuffer>;
}

interface Config {
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  rms_norm_eps: number;
  rope_theta: number;
  max_position_embeddings: number;
  vocab_size: number;
}

interface TokenizerFile {
  added_tokens: { id: number; content: string }[];
  model: { vocab: Record<string, number>; merges: string[] | [string, string][] };
}

/** @param folder of the model: configurations, tokenizer, `onnx/model_quantized.onnx` */
export const convertToGguf = (folder: string): Uint8Array<ArrayBuffer> => writeGguf(tinyChatContent(folder));

/** What is in the file. */
export function tinyChatContent(folder: string): GgufInput {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const config = json('config.json') as Config;
  const { chat_template: template } = json('tokenizer_config.json') as { chat_template: string };
  return {
    metadata: {
      ...aboutModel(config),
      ...aboutTokens(json('tokenizer.json') as TokenizerFile, config.vocab_size),
      'tokenizer.chat_template': template,
    },
    tensors: tensorsOf(readWeights(join(folder, 'onnx/model_quantized.onnx')), config),
  };
}

function aboutModel(config: Config): Record<string, MetadataInput> {
  const f32 = (value: number): MetadataInput => ({ type: 'f32', value });
  return {
    'general.architecture': 'llama',
    'general.type': 'model',
    'general.name': 'tiny-chat',
    'general.license': 'MIT',
    'general.quantization_version': 2,
    // Most tensors are of Q8_0.
    'general.file_type': 7,
    'llama.context_length': config.max_position_embeddings,
    'llama.embedding_length': config.hidden_size,
    'llama.block_count': config.num_hidden_layers,
    'llama.feed_forward_length': config.intermediate_size,
    'llama.attention.head_count': config.num_attention_heads,
    'llama.attention.head_count_kv': config.num_key_value_heads,
    'llama.attention.key_length': config.head_dim,
    'llama.attention.value_length': config.head_dim,
    'llama.attention.layer_norm_rms_epsilon': f32(config.rms_norm_eps),
    'llama.rope.dimension_count': config.head_dim,
    'llama.rope.freq_base': f32(config.rope_theta),
    'llama.vocab_size': config.vocab_size,
  };
}

function aboutTokens({ added_tokens: added, model }: TokenizerFile, count: number): Record<string, MetadataInput> {
  const tokens = Array.from({ length: count }, () => '');
  const kinds = new Int32Array(count).fill(NORMAL);
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added) {
    tokens[id] = content;
    // Also marks such as `<tool_call>`: tokens of kind user-defined could be in the text of a client.
    kinds[id] = CONTROL;
  }
  const idOf = (content: string): number => tokens.indexOf(content);
  return {
    'tokenizer.ggml.model': 'gpt2',
    // The nearest that llama.cpp knows. Words of its own tokenizer differ around apostrophes and before digits.
    'tokenizer.ggml.pre': 'smollm',
    'tokenizer.inpage.pre': 'tiny-chat',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': kinds,
    'tokenizer.ggml.merges': model.merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' '))),
    'tokenizer.ggml.bos_token_id': idOf('<|im_start|>'),
    'tokenizer.ggml.eos_token_id': idOf('<|im_end|>'),
    'tokenizer.ggml.eot_token_id': idOf('<|endoftext|>'),
    'tokenizer.ggml.padding_token_id': idOf('<|endoftext|>'),
    'tokenizer.ggml.add_bos_token': false,
  };
}

function tensorsOf(weights: ReadonlyMap<string, Weight>, config: Config): TensorInput[] {
  const { num_attention_heads: heads, num_key_value_heads: kvHeads, head_dim: size } = config;
  const get = (name: string): Weight => {
    const weight = weights.get(name);
    if (!weight) throw new Error(`The graph has no weights named ${name}.`);
    return weight;
  };
  const vector = (name: string, from: string): TensorInput => {
    const { dimensions, bytes } = get(from);
    return { name, shape: dimensions, kind: 'F32', data: bytes };
  };
  const matrix = (name: string, codes: Int8Array[], scales: Float32Array): TensorInput => ({
    name,
    shape: [codes[0]!.length, codes.length],
    kind: 'Q8_0',
    data: rowsOfQ8(codes, scales),
  });
  /** @param headCount of heads whose halves are rotated */
  const product = (name: string, from: string, headCount?: number): TensorInput => {
    const rows = transposed(get(`${from}.q`));
    const scales = floats(get(`${from}.s`));
    if (headCount === undefined) return matrix(name, rows, scales);
    const order = neighbours(headCount, size);
    return matrix(
      name,
      order.map((row) => rows[row]!),
      Float32Array.from(order, (row) => scales[row]!),
    );
  };
  const embedding = get('embed.q');
  const layers = Array.from({ length: config.num_hidden_layers }, (_, layer) => [
    vector(`blk.${layer}.attn_norm.weight`, `${layer}.norm1`),
    product(`blk.${layer}.attn_q.weight`, `${layer}.wq`, heads),
    product(`blk.${layer}.attn_k.weight`, `${layer}.wk`, kvHeads),
    product(`blk.${layer}.attn_v.weight`, `${layer}.wv`),
    product(`blk.${layer}.attn_output.weight`, `${layer}.wo`),
    vector(`blk.${layer}.ffn_norm.weight`, `${layer}.norm2`),
    product(`blk.${layer}.ffn_gate.weight`, `${layer}.wgate`),
    product(`blk.${layer}.ffn_up.weight`, `${layer}.wup`),
    inSixBits(product(`blk.${layer}.ffn_down.weight`, `${layer}.wdown`)),
  ]);
  return [
    matrix('token_embd.weight', rowsOf(embedding), floats(get('embed.s'))),
    vector('output_norm.weight', 'norm'),
    ...layers.flat(),
  ];
}

/** A first visit is to need less than 8 MB, and these matrices lose the least. */
function inSixBits(tensor: TensorInput): TensorInput {
  return { ...tensor, kind: 'Q6_K', data: quantize('Q6_K', dequantize('Q8_0', tensor.data as Uint8Array)) };
}

/** By name. */
function readWeights(path: string): Map<string, Weight> {
  const file = new Uint8Array(readFileSync(path));
  const weights = new Map<string, Weight>();
  const graph = lastField(file, 0, file.length, GRAPH)!;
  for (const { number, start, end } of fieldsOf(file, graph.start, graph.end)) {
    if (number !== WEIGHT) continue;
    const parts = [...fieldsOf(file, start, end)];
    const content = parts.find((part) => part.number === CONTENT);
    weights.set(textOf(file, lastField(file, start, end, NAME)), {
      dimensions: parts.filter((part) => part.number === DIMENSION).map(({ value }) => value),
      bytes: content ? file.slice(content.start, content.end) : new Uint8Array(0),
    });
  }
  return weights;
}

function floats({ bytes }: Weight): Float32Array {
  return new Float32Array(bytes.buffer);
}

function rowsOf({ dimensions: [count = 0, size = 0], bytes }: Weight): Int8Array[] {
  const codes = new Int8Array(bytes.buffer);
  return Array.from({ length: count }, (_, row) => codes.subarray(row * size, (row + 1) * size));
}

/** The columns of a matrix. */
function transposed(weight: Weight): Int8Array[] {
  const rows = rowsOf(weight);
  return Array.from(rows[0]!, (_, column) => Int8Array.from(rows, (row) => row[column]!));
}

/** Rows of heads whose halves are rotated, in the order of `llama`, which rotates neighbours. */
function neighbours(heads: number, size: number): number[] {
  return Array.from({ length: heads * size }, (_, row) => {
    const [head, place] = [Math.floor(row / size), row % size];
    return head * size + (place % 2) * (size / 2) + Math.floor(place / 2);
  });
}

/** Each block of a row has the row's scale. */
function rowsOfQ8(rows: readonly Int8Array[], scales: Float32Array): Uint8Array {
  const bytes = rows[0]!.length + (rows[0]!.length / BLOCK) * 2;
  const out = new Uint8Array(rows.length * bytes);
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const scale = toHalf(scales[index]!);
    for (let from = 0; from < row.length; from += BLOCK) {
      out.set([scale & 255, scale >> 8], at);
      out.set(new Uint8Array(row.buffer, row.byteOffset + from, BLOCK), at + 2);
      at += BLOCK + 2;
    }
  }
  return out;
}
