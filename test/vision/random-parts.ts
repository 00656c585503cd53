/** The three graphs of a vision-language model, as repositories for transformers.js have them, with random weights. */
import { FLOAT, INT32, INT64 } from '../support/onnx-file.js';
import { RandomGraph } from './random-graph.js';

const BOOL = 9;
const MICROSOFT = 'com.microsoft';
const EPSILON = { epsilon: { float: 1e-5 } };

/** Sizes of the language model. */
export const DECODER = { hidden: 64, layers: 2, heads: 4, keyHeads: 2, width: 16, inner: 128, theta: 10_000 };

/** Sizes of the vision encoder: `merge` by `merge` patches become one token. */
export const ENCODER = { width: 48, inner: 96, patch: 8, merge: 2 };

/** Pixels of a side of the images that the SmolVLM-like encoder takes. */
export const SMOLVLM_SIDE = 64;

/** Frames that the Qwen2-VL-like encoder takes a picture for. */
export const QWEN_FRAMES = 2;

/** `embed_tokens`: token ids to vectors. */
export function embedTokens(seed: number, vocabulary: number): RandomGraph {
  const graph = new RandomGraph(seed);
  addEmbeddings(graph, vocabulary);
  graph.output('inputs_embeds', FLOAT, ['batch_size', 'sequence_length', DECODER.hidden]);
  return graph;
}

/** Adds `input_ids` and what makes `inputs_embeds` of them. */
export function addEmbeddings(graph: RandomGraph, vocabulary: number): void {
  graph.input('input_ids', INT64, ['batch_size', 'sequence_length']);
  const table = graph.weights('table', [vocabulary, DECODER.hidden], 1);
  graph.node('Gather', [table, 'input_ids'], 'inputs_embeds', { axis: 0 });
}

/** Tiles of one size, of which each becomes the same number of vectors, by patches, attention and pixel shuffle. */
export function smolVlmEncoder(seed: number): RandomGraph {
  const { width, patch, merge } = ENCODER;
  const side = SMOLVLM_SIDE / patch;
  const graph = new RandomGraph(seed);
  graph.input('pixel_values', FLOAT, ['batch_size', 'num_images', 3, SMOLVLM_SIDE, SMOLVLM_SIDE]);
  graph.input('pixel_attention_mask', BOOL, ['batch_size', 'num_images', SMOLVLM_SIDE, SMOLVLM_SIDE]);
  const tiles = graph.reshape('pixel_values', -1, 3, SMOLVLM_SIDE, SMOLVLM_SIDE);
  const kernel = graph.weights('patches', [width, 3, patch, patch], 1 / Math.sqrt(3 * patch * patch));
  const square = { kernel_shape: [patch, patch], strides: [patch, patch] };
  const patches = graph.op('Conv', [tiles, kernel], square);
  // What the mask leaves out counts for nothing.
  const mask = graph.op('Cast', ['pixel_attention_mask'], { to: FLOAT });
  const shares = graph.op('AveragePool', [graph.reshape(mask, -1, 1, SMOLVLM_SIDE, SMOLVLM_SIDE)], square);
  const seen = graph.op('Mul', [patches, shares]);
  const rows = graph.op('Transpose', [graph.reshape(seen, 0, width, side * side)], { perm: [0, 2, 1] });
  const placed = graph.op('Add', [rows, graph.weights('places', [1, side * side, width], 0.5)]);
  const read = encoderBlock(graph, placed, 3);
  // Pixel shuffle: a square of patches becomes one longer vector.
  const few = side / merge;
  const split = graph.reshape(read, 0, few, merge, few, merge * width);
  const turned = graph.op('Transpose', [split], { perm: [0, 1, 3, 2, 4] });
  const merged = graph.reshape(turned, 0, few * few, merge * merge * width);
  graph.product(merged, 'image_features', [merge * merge * width, DECODER.hidden]);
  graph.output('image_features', FLOAT, ['num_tiles', few * few, DECODER.hidden]);
  return graph;
}

/** Patches of any number of pictures in one list; patches see those of their own picture only. */
export function qwenEncoder(seed: number): RandomGraph {
  const { width, patch, merge } = ENCODER;
  const values = 3 * QWEN_FRAMES * patch * patch;
  const graph = new RandomGraph(seed);
  graph.input('pixel_values', FLOAT, ['num_patches', values]);
  graph.input('grid_thw', INT64, ['num_images', 3]);
  const patches = graph.product('pixel_values', 'patches', [values, width]);
  // Which picture a patch belongs to: how many of them end at or before it.
  const sizes = graph.op('ReduceProd', ['grid_thw', graph.ints(1)], { keepdims: 0 });
  const ends = graph.op('CumSum', [sizes, graph.index(0)]);
  const shape = graph.op('Shape', ['pixel_values']);
  const count = graph.op('Gather', [shape, graph.index(0)], { axis: 0 });
  const places = graph.op('Range', [graph.index(0), count, graph.index(1)]);
  const after = graph.op('GreaterOrEqual', [graph.reshape(places, -1, 1), graph.reshape(ends, 1, -1)]);
  const ended = graph.op('Cast', [after], { to: INT64 });
  const picture = graph.op('ReduceSum', [ended, graph.ints(1)], { keepdims: 0 });
  const begins = graph.op('Sub', [ends, sizes]);
  const own = graph.op('Sub', [places, graph.op('Gather', [begins, picture], { axis: 0 })]);
  const table = graph.weights('places', [256, width], 0.5);
  const placed = graph.op('Add', [
    patches,
    graph.op('Gather', [table, graph.op('Mod', [own, graph.index(256)])], { axis: 0 }),
  ]);
  const grids = graph.op('Cast', [graph.op('Gather', ['grid_thw', picture], { axis: 0 })], { to: FLOAT });
  const sized = graph.op('Add', [placed, graph.product(grids, 'grids', [3, width], 0.1)]);
  const same = graph.op('Equal', [graph.reshape(picture, -1, 1), graph.reshape(picture, 1, -1)]);
  const hidden = graph.op('Where', [same, graph.number(0), graph.number(-1e9)]);
  const read = encoderBlock(graph, sized, 2, hidden);
  graph.product(graph.reshape(read, -1, merge * merge * width), 'image_features', [
    merge * merge * width,
    DECODER.hidden,
  ]);
  graph.output('image_features', FLOAT, ['num_tokens', DECODER.hidden]);
  return graph;
}

/** Attention and a product of two layers, each beside the stream. @param rank of the stream */
function encoderBlock(graph: RandomGraph, input: string, rank: 2 | 3, hidden?: string): string {
  const { width, inner } = ENCODER;
  const perm = rank === 3 ? [0, 2, 1] : [1, 0];
  const normed = layerNorm(graph, input, 'norm1', rank);
  const [query, key, value] = ['query', 'key', 'value'].map((name) => graph.product(normed, name, [width, width]));
  const scores = graph.op('MatMul', [query!, graph.op('Transpose', [key!], { perm })]);
  const scaled = graph.op('Mul', [scores, graph.number(width ** -0.5)]);
  const shares = graph.op('Softmax', [hidden === undefined ? scaled : graph.op('Add', [scaled, hidden])], {
    axis: rank - 1,
  });
  const attended = graph.product(graph.op('MatMul', [shares, value!]), 'attended', [width, width]);
  const stream = graph.op('Add', [input, attended]);
  const wide = graph.product(layerNorm(graph, stream, 'norm2', rank), 'wide', [width, inner]);
  const active = graph.op('Mul', [wide, graph.op('Sigmoid', [wide])]);
  return graph.op('Add', [stream, graph.product(active, 'narrow', [inner, width])]);
}

function layerNorm(graph: RandomGraph, input: string, name: string, rank: number): string {
  const ones = graph.constant(`${name}.ones`, new Float32Array(ENCODER.width).fill(1));
  return graph.op('LayerNormalization', [input, ones], { axis: rank - 1, ...EPSILON });
}

/**
 * `decoder_model_merged`: vectors and keys and values to logits.
 * @param sections how many frequencies turn with time, height and width; absent: positions are one number
 */
export function mergedDecoder(seed: number, vocabulary: number, sections?: readonly number[]): RandomGraph {
  const graph = new RandomGraph(seed);
  graph.input('inputs_embeds', FLOAT, ['batch_size', 'sequence_length', DECODER.hidden]);
  addDecoder(graph, vocabulary, sections);
  return graph;
}

/** Adds all of a decoder but what gives `inputs_embeds`. @param sections see {@link mergedDecoder} */
export function addDecoder(graph: RandomGraph, vocabulary: number, sections?: readonly number[]): void {
  const { hidden, layers, heads, keyHeads, width, inner } = DECODER;
  const sequence = ['batch_size', 'sequence_length'];
  graph.input('attention_mask', INT64, ['batch_size', 'total_sequence_length']);
  graph.input('position_ids', INT64, sections ? [3, ...sequence] : sequence);
  const mask = graph.op('Cast', ['attention_mask'], { to: INT32 });
  const lengths = graph.op('ReduceSum', [mask, graph.ints(1)], { keepdims: 0 });
  const lasts = graph.op('Sub', [lengths, graph.constant('one', Int32Array.of(1))]);
  const shape = graph.op('Shape', ['attention_mask']);
  const total = graph.op('Cast', [graph.op('Gather', [shape, graph.index(1)], { axis: 0 })], { to: INT32 });
  const [cosine, sine] = turns(graph, sections);

  const turned = (input: string, count: number): string => {
    const split = graph.reshape(input, 0, 0, count, width);
    const [first, second] = [0, 1].map((part) =>
      graph.op('Slice', [split, graph.ints((part * width) / 2), graph.ints(((part + 1) * width) / 2), graph.ints(3)]),
    ) as [string, string];
    const times = (half: string, by: string): string => graph.op('Mul', [half, by]);
    const low = graph.op('Sub', [times(first, cosine), times(second, sine)]);
    const high = graph.op('Add', [times(second, cosine), times(first, sine)]);
    return graph.reshape(graph.op('Concat', [low, high], { axis: 3 }), 0, 0, count * width);
  };

  let stream = 'inputs_embeds';
  for (let layer = 0; layer < layers; layer++) {
    const normed = rmsNorm(graph, stream, `${layer}.norm1`);
    const query = turned(graph.product(normed, `${layer}.query`, [hidden, heads * width]), heads);
    const key = turned(graph.product(normed, `${layer}.key`, [hidden, keyHeads * width]), keyHeads);
    const value = graph.product(normed, `${layer}.value`, [hidden, keyHeads * width]);
    const [past, present] = [`past_key_values.${layer}.`, `present.${layer}.`];
    graph.node(
      'GroupQueryAttention',
      [query, key, value, `${past}key`, `${past}value`, lasts, total],
      [`${layer}.attended`, `${present}key`, `${present}value`],
      { num_heads: heads, kv_num_heads: keyHeads, do_rotary: 0, scale: { float: width ** -0.5 } },
      MICROSOFT,
    );
    const out = graph.product(`${layer}.attended`, `${layer}.out`, [heads * width, hidden]);
    stream = graph.op('Add', [stream, out]);
    const again = rmsNorm(graph, stream, `${layer}.norm2`);
    const gate = graph.product(again, `${layer}.gate`, [hidden, inner]);
    const active = graph.op('Mul', [gate, graph.op('Sigmoid', [gate])]);
    const up = graph.product(again, `${layer}.up`, [hidden, inner]);
    const down = graph.product(graph.op('Mul', [active, up]), `${layer}.down`, [inner, hidden]);
    stream = graph.op('Add', [stream, down]);
    for (const part of ['key', 'value']) {
      const dims = (length: string) => ['batch_size', keyHeads, length, width];
      graph.input(past + part, FLOAT, dims('past_sequence_length'));
      graph.output(present + part, FLOAT, dims('total_sequence_length'));
    }
  }
  graph.product(rmsNorm(graph, stream, 'norm'), 'logits', [hidden, vocabulary], 4);
  graph.output('logits', FLOAT, [...sequence, vocabulary]);
}

/** Cosines and sines of the positions, `[batch, tokens, 1, width / 2]`. */
function turns(graph: RandomGraph, sections: readonly number[] | undefined): [string, string] {
  const { width, theta } = DECODER;
  const half = width / 2;
  const frequencies = Float32Array.from({ length: half }, (_, place) => theta ** ((-2 * place) / width));
  const positions = graph.op('Cast', ['position_ids'], { to: FLOAT });
  let angles: string;
  if (sections) {
    // Each frequency turns with one of the three numbers of a position.
    const owners = sections.flatMap((size, owner) => Array.from({ length: size }, () => owner));
    const table = Float32Array.from({ length: 3 * half }, (_, place) =>
      owners[place % half] === Math.floor(place / half) ? frequencies[place % half]! : 0,
    );
    const own = graph.constant('frequencies', table, [3, 1, 1, half]);
    const each = graph.op('Mul', [graph.reshape(positions, 3, 0, -1, 1), own]);
    angles = graph.op('ReduceSum', [each, graph.ints(0)], { keepdims: 0 });
  } else {
    const own = graph.constant('frequencies', frequencies, [1, 1, half]);
    angles = graph.op('Mul', [graph.op('Unsqueeze', [positions, graph.ints(2)]), own]);
  }
  const wide = graph.op('Unsqueeze', [angles, graph.ints(2)]);
  return [graph.op('Cos', [wide]), graph.op('Sin', [wide])];
}

function rmsNorm(graph: RandomGraph, input: string, name: string): string {
  const ones = graph.constant(`${name}.ones`, new Float32Array(DECODER.hidden).fill(1));
  return graph.node('SimplifiedLayerNormalization', [input, ones], name, { axis: 2, stash_type: 1, ...EPSILON });
}
