/** A decoder with random weights and the structure that repositories for transformers.js have. */
import { floatsToHalves } from '../../../src/engines/transformers/ort/half-floats.js';
import { FLOAT, FLOAT16, INT32, INT64, OnnxFile } from '../../support/onnx-file.js';
import { randomBytes } from './random-bytes.js';
import { SPECIAL_TOKENS } from './random-tokenizer.js';

export interface DecoderShape {
  hidden: number;
  layers: number;
  heads: number;
  keyHeads: number;
  /** Of a head. */
  width: number;
  inner: number;
  vocabulary: number;
  theta: number;
  context: number;
  /** Of queries, keys and values, as Qwen2 has them. */
  biases?: boolean;
}

/** SmolLM2-135M's. */
export const SHAPE: DecoderShape = {
  hidden: 576,
  layers: 30,
  heads: 9,
  keyHeads: 3,
  width: 64,
  inner: 1536,
  vocabulary: 49_152,
  theta: 100_000,
  context: 8192,
};

/** SmolLM2-1.7B's. */
export const LARGE_SHAPE: DecoderShape = {
  ...SHAPE,
  hidden: 2048,
  layers: 24,
  heads: 32,
  keyHeads: 32,
  inner: 8192,
  theta: 130_000,
};

/** By the name that `npm run bench -- --size` takes. */
export const SHAPES: Record<string, DecoderShape> = {
  real: SHAPE,
  // SmolLM2-360M's.
  '360m': { ...SHAPE, hidden: 960, layers: 32, heads: 15, keyHeads: 5, inner: 2560 },
};

/** What is compared on a GPU: Qwen2-0.5B's, which WebLLM has a compiled library for; and one for a GPU in software. */
export const GPU_SHAPES = {
  '0.5B': {
    ...SHAPE,
    hidden: 896,
    layers: 24,
    heads: 14,
    keyHeads: 2,
    inner: 4864,
    vocabulary: 151_936,
    theta: 1_000_000,
    context: 4096,
    biases: true,
  },
  small: {
    ...SHAPE,
    hidden: 128,
    layers: 2,
    heads: 2,
    keyHeads: 1,
    inner: 256,
    vocabulary: 512,
    context: 2048,
    biases: true,
  },
} as const satisfies Record<string, DecoderShape>;

/** `q8` for WASM; on WebGPU `q4`, or `q4f16` where the GPU computes with halves. */
export type OnnxPrecision = 'q8' | 'q4' | 'q4f16';

/** Standard deviation of whole numbers from -100 to 100, and from -8 to 7. */
const SPREAD = 58;
const SPREAD_OF_4_BITS = 4.6;
/** Weights of 4 bits that share a scale. */
const BLOCK = 32;
const MICROSOFT = 'com.microsoft';
const EPSILON = { epsilon: { float: 1e-5 } };

/** Whole numbers from -100 to 100, the same for the same seed. */
function randomWeights(count: number, seed: number): Int8Array {
  const values = new Int8Array(count);
  let state = seed | 1;
  for (let index = 0; index < count; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[index] = ((state >>> 8) % 201) - 100;
  }
  return values;
}

const int64 = (...values: number[]): BigInt64Array => BigInt64Array.from(values, BigInt);

/** Two in a byte, with their block's scale; those of `without` rows at the beginning are nothing. */
function packedWeights(rows: number, columns: number, seed: number, without = 0): Uint8Array {
  return randomBytes((rows * columns) / 2, seed).fill(0x88, 0, (without * columns) / 2);
}

/** How a precision writes the matrices of a graph. */
interface Weights {
  /** Of all numbers that are no matrices. */
  float: number;
  floats(values: Float32Array): Float32Array | Uint16Array;
  /** Rows of a table. @returns the stream of layers */
  embed(rows: number, columns: number): string;
  product(input: string, name: string, columns: number, rows: number, output: string, deviation?: number): string;
}

/** Every product is dynamic: activations are made 8 bits wide while the model runs, weights are 8 bits by column. */
function byteWeights(file: OnnxFile, seed: number): Weights {
  const quantized = new Set<string>();
  let next = seed;
  return {
    float: FLOAT,
    floats: (values) => values,
    embed(rows, columns) {
      file.constant('embed.q', randomWeights(rows * columns, seed + 1), [rows, columns]);
      file.constant('embed.s', Float32Array.of(0.02 / SPREAD));
      file.node('Gather', ['embed.q', 'input_ids'], 'embed.i', { axis: 0 });
      file.node('Cast', ['embed.i'], 'embed.c', { to: FLOAT });
      return file.node('Mul', ['embed.c', 'embed.s'], 'x0');
    },
    product(input, name, columns, rows, output, deviation) {
      next = nextSeed(next);
      const scale = (deviation ?? 1 / Math.sqrt(rows)) / SPREAD;
      file.constant(`${name}.q`, randomWeights(columns * rows, next), [rows, columns]);
      file.constant(`${name}.s`, new Float32Array(columns).fill(scale));
      file.constant(`${name}.z`, new Int8Array(columns));
      if (!quantized.has(input)) {
        file.node('DynamicQuantizeLinear', [input], [`${input}.u`, `${input}.us`, `${input}.uz`]);
        quantized.add(input);
      }
      file.node('MatMulInteger', [`${input}.u`, `${name}.q`, `${input}.uz`, `${name}.z`], `${name}.i`);
      file.node('Cast', [`${name}.i`], `${name}.f`, { to: FLOAT });
      file.node('Mul', [`${input}.us`, `${name}.s`], `${name}.m`);
      return file.node('Mul', [`${name}.f`, `${name}.m`], output);
    },
  };
}

/** Weights of 4 bits in blocks, in the operators that have kernels for a GPU. */
function blockWeights(file: OnnxFile, seed: number, precision: 'q4' | 'q4f16'): Weights {
  let next = seed;
  const floats = (values: Float32Array): Float32Array | Uint16Array =>
    precision === 'q4f16' ? floatsToHalves(values) : values;
  const scales = (count: number, deviation: number): Float32Array | Uint16Array =>
    floats(new Float32Array(count / BLOCK).fill(deviation / SPREAD_OF_4_BITS));
  return {
    float: precision === 'q4f16' ? FLOAT16 : FLOAT,
    floats,
    embed(rows, columns) {
      file.constant('embed.q', packedWeights(rows, columns, seed + 1), [rows, columns / 2]);
      file.constant('embed.s', scales(rows * columns, 0.02), [rows, columns / BLOCK]);
      const attributes = { bits: 4, block_size: BLOCK, gather_axis: 0, quantize_axis: 1 };
      return file.node('GatherBlockQuantized', ['embed.q', 'input_ids', 'embed.s'], 'x0', attributes, MICROSOFT);
    },
    product(input, name, columns, rows, output, deviation = 1 / Math.sqrt(rows)) {
      next = nextSeed(next);
      // A head never says a special token, which could end an answer.
      const without = name === 'head' ? SPECIAL_TOKENS.length : 0;
      file.constant(`${name}.q`, packedWeights(columns, rows, next, without), [columns, rows / BLOCK, BLOCK / 2]);
      file.constant(`${name}.s`, scales(columns * rows, deviation));
      const attributes = { K: rows, N: columns, bits: 4, block_size: BLOCK, accuracy_level: 4 };
      return file.node('MatMulNBits', [input, `${name}.q`, `${name}.s`], output, attributes, MICROSOFT);
    },
  };
}

const nextSeed = (seed: number): number => (Math.imul(seed, 1664525) + 1013904223) | 0;

export function randomDecoder(seed: number, shape = SHAPE, precision: OnnxPrecision = 'q8'): OnnxFile {
  const { hidden, layers, heads, keyHeads, width, inner, vocabulary, context, theta } = shape;
  const file = new OnnxFile();
  const weights = precision === 'q8' ? byteWeights(file, seed) : blockWeights(file, seed, precision);
  const { float, floats } = weights;
  const product = weights.product.bind(weights);

  const half = width / 2;
  const angle = (index: number): number => Math.floor(index / half) * theta ** ((-2 * (index % half)) / width);
  const table = (turn: (angle: number) => number): Float32Array =>
    Float32Array.from({ length: context * half }, (_, index) => turn(angle(index)));
  file.constant('cos', floats(table(Math.cos)), [context, half]);
  file.constant('sin', floats(table(Math.sin)), [context, half]);
  file.constant('axis1', int64(1));
  file.constant('index1', int64(1), []);
  file.constant('one', Int32Array.of(1));
  file.node('Cast', ['attention_mask'], 'mask32', { to: INT32 });
  file.node('ReduceSum', ['mask32', 'axis1'], 'mask.sum', { keepdims: 0 });
  file.node('Sub', ['mask.sum', 'one'], 'seqlens_k');
  file.node('Shape', ['attention_mask'], 'mask.shape');
  file.node('Gather', ['mask.shape', 'index1'], 'total64', { axis: 0 });
  file.node('Cast', ['total64'], 'total', { to: INT32 });

  let stream = weights.embed(vocabulary, hidden);

  const skipNorm = (add: string, norm: string, normed: string, sum: string): void => {
    file.constant(norm, floats(new Float32Array(hidden).fill(1)));
    const outputs = sum === '' ? [normed] : [normed, '', '', sum];
    file.node('SkipSimplifiedLayerNormalization', [stream, add, norm], outputs, EPSILON, MICROSOFT);
    stream = sum;
  };

  for (let layer = 0; layer < layers; layer++) {
    const n = `${layer}.`;
    if (layer === 0) {
      file.constant(`${n}norm1`, floats(new Float32Array(hidden).fill(1)));
      const attributes = { axis: 1, stash_type: 1, ...EPSILON };
      file.node('SimplifiedLayerNormalization', [stream, `${n}norm1`], `${n}h`, { ...attributes, axis: 2 });
    } else {
      skipNorm(`${layer - 1}.d`, `${n}norm1`, `${n}h`, `${n}x`);
    }
    for (const [name, count] of [
      ['q', heads],
      ['k', keyHeads],
      ['v', keyHeads],
    ] as const) {
      const output = n + name;
      product(`${n}h`, `${n}w${name}`, count * width, hidden, shape.biases ? `${output}p` : output);
      if (!shape.biases) continue;
      file.constant(`${n}b${name}`, floats(new Float32Array(count * width)));
      file.node('Add', [`${output}p`, `${n}b${name}`], output);
    }
    for (const [name, count] of [
      ['q', heads],
      ['k', keyHeads],
    ] as const) {
      const attributes = { num_heads: count, rotary_embedding_dim: 0, interleaved: 0 };
      file.node('RotaryEmbedding', [n + name, 'position_ids', 'cos', 'sin'], `${n}${name}r`, attributes, MICROSOFT);
    }
    const [past, present] = [`past_key_values.${n}`, `present.${n}`];
    file.node(
      'GroupQueryAttention',
      [`${n}qr`, `${n}kr`, `${n}v`, `${past}key`, `${past}value`, 'seqlens_k', 'total'],
      [`${n}a`, `${present}key`, `${present}value`],
      { num_heads: heads, kv_num_heads: keyHeads, do_rotary: 0, scale: { float: width ** -0.5 } },
      MICROSOFT,
    );
    product(`${n}a`, `${n}wo`, hidden, heads * width, `${n}o`);
    skipNorm(`${n}o`, `${n}norm2`, `${n}m`, `${n}y`);
    product(`${n}m`, `${n}wgate`, inner, hidden, `${n}gate`);
    product(`${n}m`, `${n}wup`, inner, hidden, `${n}up`);
    file.node('Sigmoid', [`${n}gate`], `${n}sig`);
    file.node('Mul', [`${n}gate`, `${n}sig`], `${n}silu`);
    file.node('Mul', [`${n}silu`, `${n}up`], `${n}gated`);
    product(`${n}gated`, `${n}wdown`, hidden, inner, `${n}d`);
  }
  skipNorm(`${layers - 1}.d`, 'norm', 'final', '');
  product('final', 'head', vocabulary, hidden, float === FLOAT ? 'logits' : 'logits16', 0.08);
  if (float !== FLOAT) file.node('Cast', ['logits16'], 'logits', { to: FLOAT });

  const sequence = ['batch_size', 'sequence_length'];
  file.input('input_ids', INT64, sequence);
  file.input('attention_mask', INT64, ['batch_size', 'total_sequence_length']);
  file.input('position_ids', INT64, sequence);
  file.output('logits', FLOAT, [...sequence, vocabulary]);
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['key', 'value']) {
      const shape = (length: string) => ['batch_size', keyHeads, length, width];
      file.input(`past_key_values.${layer}.${part}`, float, shape('past_sequence_length'));
      file.output(`present.${layer}.${part}`, float, shape('total_sequence_length'));
    }
  }
  return file;
}
