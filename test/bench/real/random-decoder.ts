/** A decoder with random weights and the structure that repositories for transformers.js have in dtype `q8`. */
import { FLOAT, INT32, INT64, OnnxFile } from '../../support/onnx-file.js';

/** SmolLM2-135M's. */
export const SHAPE = {
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
export const LARGE_SHAPE: typeof SHAPE = {
  ...SHAPE,
  hidden: 2048,
  layers: 24,
  heads: 32,
  keyHeads: 32,
  inner: 8192,
  theta: 130_000,
};

/** By the name that `npm run bench -- --size` takes. */
export const SHAPES: Record<string, typeof SHAPE> = {
  real: SHAPE,
  // SmolLM2-360M's.
  '360m': { ...SHAPE, hidden: 960, layers: 32, heads: 15, keyHeads: 5, inner: 2560 },
};

/** Standard deviation of whole numbers from -100 to 100. */
const SPREAD = 58;
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

/** Every product is dynamic: activations are made 8 bits wide while the model runs, weights are 8 bits by column. */
export function randomDecoder(seed: number, shape = SHAPE): OnnxFile {
  const { hidden, layers, heads, keyHeads, width, inner, vocabulary, context, theta } = shape;
  const file = new OnnxFile();
  const quantized = new Set<string>();
  let next = seed;

  const product = (input: string, name: string, columns: number, rows: number, output: string, deviation?: number) => {
    next = (Math.imul(next, 1664525) + 1013904223) | 0;
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
  };

  const half = width / 2;
  const angle = (index: number): number => Math.floor(index / half) * theta ** ((-2 * (index % half)) / width);
  const table = (turn: (angle: number) => number): Float32Array =>
    Float32Array.from({ length: context * half }, (_, index) => turn(angle(index)));
  file.constant('cos', table(Math.cos), [context, half]);
  file.constant('sin', table(Math.sin), [context, half]);
  file.constant('axis1', int64(1));
  file.constant('index1', int64(1), []);
  file.constant('one', Int32Array.of(1));
  file.node('Cast', ['attention_mask'], 'mask32', { to: INT32 });
  file.node('ReduceSum', ['mask32', 'axis1'], 'mask.sum', { keepdims: 0 });
  file.node('Sub', ['mask.sum', 'one'], 'seqlens_k');
  file.node('Shape', ['attention_mask'], 'mask.shape');
  file.node('Gather', ['mask.shape', 'index1'], 'total64', { axis: 0 });
  file.node('Cast', ['total64'], 'total', { to: INT32 });

  file.constant('embed.q', randomWeights(vocabulary * hidden, seed + 1), [vocabulary, hidden]);
  file.constant('embed.s', Float32Array.of(0.02 / SPREAD));
  file.node('Gather', ['embed.q', 'input_ids'], 'embed.i', { axis: 0 });
  file.node('Cast', ['embed.i'], 'embed.c', { to: FLOAT });
  let stream = file.node('Mul', ['embed.c', 'embed.s'], 'x0');

  const skipNorm = (add: string, norm: string, normed: string, sum: string): void => {
    file.constant(norm, new Float32Array(hidden).fill(1));
    const outputs = sum === '' ? [normed] : [normed, '', '', sum];
    file.node('SkipSimplifiedLayerNormalization', [stream, add, norm], outputs, EPSILON, MICROSOFT);
    stream = sum;
  };

  for (let layer = 0; layer < layers; layer++) {
    const n = `${layer}.`;
    if (layer === 0) {
      file.constant(`${n}norm1`, new Float32Array(hidden).fill(1));
      const attributes = { axis: 1, stash_type: 1, ...EPSILON };
      file.node('SimplifiedLayerNormalization', [stream, `${n}norm1`], `${n}h`, { ...attributes, axis: 2 });
    } else {
      skipNorm(`${layer - 1}.d`, `${n}norm1`, `${n}h`, `${n}x`);
    }
    product(`${n}h`, `${n}wq`, heads * width, hidden, `${n}q`);
    product(`${n}h`, `${n}wk`, keyHeads * width, hidden, `${n}k`);
    product(`${n}h`, `${n}wv`, keyHeads * width, hidden, `${n}v`);
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
  product('final', 'head', vocabulary, hidden, 'logits', 0.08);

  const sequence = ['batch_size', 'sequence_length'];
  file.input('input_ids', INT64, sequence);
  file.input('attention_mask', INT64, ['batch_size', 'total_sequence_length']);
  file.input('position_ids', INT64, sequence);
  file.output('logits', FLOAT, [...sequence, vocabulary]);
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['key', 'value']) {
      const shape = (length: string) => ['batch_size', keyHeads, length, width];
      file.input(`past_key_values.${layer}.${part}`, FLOAT, shape('past_sequence_length'));
      file.output(`present.${layer}.${part}`, FLOAT, shape('total_sequence_length'));
    }
  }
  return file;
}
