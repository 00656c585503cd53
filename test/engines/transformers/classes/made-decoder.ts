/**
 * Decoders whose next token is a sum over all that they received: every token of the sequence times its position, as it
 * comes back from the cache. A token that is lost, doubled or moved changes the answer.
 */
import { BOOL, FLOAT, FLOAT16, INT64, type OnnxFile } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';

/** Tokens that stand for themselves. */
export const VOCABULARY = 32;

/** All tokens: the others control, and are never an answer. */
export const TOKENS = 48;

/** Numbers in a vector of a token. */
export const WIDTH = 8;

/** What a layer remembers. */
export type Layer =
  /** Keys and values of all tokens, `[rows, heads, tokens, size]`. */
  | { cache: 'attention'; heads?: number; keySize?: number; valueSize?: number }
  /** Keys and values of the last tokens only. */
  | { cache: 'window'; tokens: number }
  /** Keys turned, and rows and heads in one dimension, as in old exports of BLOOM. */
  | { cache: 'joined-heads' }
  /** Keys and values in one tensor of all heads. */
  | { cache: 'key-value' }
  /** The last tokens, whole. @param names of its tensors, after `past_` and `present_` */
  | { cache: 'convolution'; names: readonly string[]; taps: number; flat?: boolean }
  /** The sum of all tokens. */
  | { cache: 'recurrence'; name: string }
  /** One number for each token, in a tensor that is not keys and values. */
  | { cache: 'compressed'; names: readonly string[] };

export interface DecoderForm {
  /** @default 'ids' */
  positions?: 'none' | 'ids' | 'axes';
  layers: readonly Layer[];
  /** The position of the first token. */
  firstPosition?: 0 | 1;
  /** Precision of keys and values. */
  halfCache?: boolean;
  /** It has no cache: each pass gets the whole sequence. */
  noCache?: boolean;
  /** It has `use_cache_branch`, and does not read the cache where that is false. */
  branch?: boolean;
  /** States of convolutions and recurrences are only read where a pass has one token, as in traced exports. */
  oneTokenStates?: boolean;
  /** All tokens of a pass see each other: `passes` with several tokens, or those whose `token_type_ids` are 1. */
  prefix?: 'passes' | 'types';
  /** It takes vectors, and perhaps others for each layer, from a graph of embeddings. */
  vectors?: { perLayer?: boolean };
  /** Files that hold weights beside the graph. */
  shards?: number;
}

/** How far prefixes change the keys of their tokens. */
const PREFIX_MODULUS = 7;

/** A token as the decoder gets it. */
export interface Received {
  /** Its id, or the mean of the vector that stands for it. */
  value: number;
  /** Its position; of three numbers their weighted mean, see `AXES`. */
  position: number;
}

/** How much each of three positions counts. */
export const AXES = [1 / 8, 2 / 8, 5 / 8] as const;

/** Tokens as they are received where there are no images. */
export function received({ positions, firstPosition = 0 }: DecoderForm, ids: readonly number[]): Received[] {
  const first = positions === 'none' ? 0 : firstPosition;
  return ids.map((value, at) => ({ value, position: first + at }));
}

/** The tokens that follow a prompt, by the rule that the graph follows. */
export function expectedTokens(form: DecoderForm, prompt: readonly Received[], count: number): number[] {
  const tokens = [...prompt];
  const answer: number[] = [];
  while (answer.length < count) {
    const next = expectedTotal(form, tokens, prompt.length) % VOCABULARY;
    answer.push(next);
    tokens.push({ value: next, position: tokens.at(-1)!.position + 1 });
  }
  return answer;
}

/** The sum after all of these tokens. @param promptLength how many of them are a prompt's */
export function expectedTotal(
  form: DecoderForm,
  tokens: readonly Received[],
  promptLength: number = tokens.length,
): number {
  const values = tokens.map(({ value }) => value);
  const prompt = values.slice(0, promptLength);
  const together = form.prefix && promptLength > 1 ? sum(prompt) % PREFIX_MODULUS : 0;
  return sum(form.layers.map((layer, place) => share(layer, place)));

  function share(layer: Layer, place: number): number {
    const terms = tokens.map(
      ({ value, position }, at) => (value + (at < promptLength ? together : 0)) * (position + 1 + place),
    );
    switch (layer.cache) {
      case 'window':
        return sum(terms.slice(-layer.tokens));
      case 'convolution': {
        const last = values.slice(-layer.taps).toReversed();
        return layer.names.length * sum(last.map((value, ago) => value * (ago + 1)));
      }
      case 'recurrence':
        return sum(values);
      case 'compressed':
        return layer.names.length * sum(values);
      default:
        return sum(terms);
    }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The graph, and the bytes of its weights by their file. */
export interface MadeGraph {
  graph: OnnxFile;
  data: Readonly<Record<string, Uint8Array>>;
}

/** @param name of the graph's file, for the files beside it */
export function makeDecoder(form: DecoderForm, name: string): MadeGraph {
  const graph = new RandomGraph(1);
  const data = addLogits(graph, addTotal(graph, form), form, name);
  return { graph, data };
}

/** The inputs and caches of a decoder, and the sum over all that it received after each token, `[rows, tokens]`. */
export function addTotal(graph: RandomGraph, form: DecoderForm): string {
  graph.input('attention_mask', INT64, ['batch_size', 'total_sequence_length']);
  const ids = receivedIds(graph, form);
  const length = size(graph, ids, 1);
  const past = graph.op('Sub', [size(graph, 'attention_mask', 1), length]);
  const pass: Pass = {
    graph,
    form,
    ids,
    length,
    past,
    weights: weights(graph, form, past, length),
    ids3: '',
    reads: '',
  };
  pass.ids3 = graph.reshape(together(pass), 0, 1, -1);
  if (form.oneTokenStates) {
    const isAlone = graph.op('Equal', [length, graph.index(1)]);
    pass.reads = graph.op('Cast', [isAlone], { to: FLOAT });
  }
  if (form.branch) {
    graph.input('use_cache_branch', BOOL, [1]);
    pass.reads = graph.op('Cast', [graph.op('Squeeze', ['use_cache_branch'])], { to: FLOAT });
  }
  const shares = form.layers.map((layer, place) => addLayer(pass, layer, place));
  return shares.reduce((all, each) => graph.op('Add', [all, each]));
}

/** Returns the bytes of the weights that stand in other files. */
function addLogits(graph: RandomGraph, total: string, form: DecoderForm, name: string): MadeGraph['data'] {
  const rounded = graph.op('Cast', [graph.op('Round', [total])], { to: INT64 });
  const next = graph.op('Mod', [rounded, graph.index(VOCABULARY)]);
  const values = graph.constant('values', Float32Array.of(0, 10), [2]);
  const chosen = graph.op('OneHot', [next, graph.ints(TOKENS), values]);
  const data: Record<string, Uint8Array> = {};
  let vectors = chosen;
  for (let shard = 0; shard < Math.max(1, form.shards ?? 0); shard++) {
    const file = `${name}.onnx_data${shard === 0 ? '' : `_${shard}`}`;
    const table = Float32Array.from({ length: TOKENS ** 2 }, (_, at) => Number(at % (TOKENS + 1) === 0));
    if (form.shards) data[file] = new Uint8Array(table.buffer);
    const weight = form.shards
      ? graph.external(`head.${shard}`, FLOAT, [TOKENS, TOKENS], file)
      : graph.constant(`head.${shard}`, table, [TOKENS, TOKENS]);
    const isLast = shard + 1 === Math.max(1, form.shards ?? 0);
    vectors = graph.node('MatMul', [vectors, weight], isLast ? 'logits' : `part.${shard}`);
  }
  graph.output('logits', FLOAT, ['batch_size', 'sequence_length', TOKENS]);
  return data;
}

interface Pass {
  graph: RandomGraph;
  form: DecoderForm;
  /** `[rows, tokens]` */
  ids: string;
  /** Tokens of the pass, and before it. */
  length: string;
  past: string;
  /** Of each token, by its position. */
  weights: string;
  /** `[rows, 1, tokens]`, with what tokens of a prefix see of each other. */
  ids3: string;
  /** 1 where states are read, else 0; `''`: always. */
  reads: string;
}

function receivedIds(graph: RandomGraph, form: DecoderForm): string {
  const sequence = ['batch_size', 'sequence_length'];
  if (!form.vectors) {
    graph.input('input_ids', INT64, sequence);
    return graph.op('Cast', ['input_ids'], { to: FLOAT });
  }
  graph.input('inputs_embeds', FLOAT, [...sequence, WIDTH]);
  const vectors = graph.op('ReduceMean', ['inputs_embeds', graph.ints(2)], { keepdims: 0 });
  if (!form.vectors.perLayer) return vectors;
  graph.input('per_layer_inputs', FLOAT, [...sequence, form.layers.length, WIDTH]);
  const others = graph.op('ReduceMean', ['per_layer_inputs', graph.ints(2, 3)], { keepdims: 0 });
  return graph.op('Div', [graph.op('Add', [vectors, others]), graph.number(2)]);
}

/** What stands for the tokens in keys: themselves, and in a prefix the sum of all. */
function together({ graph, form, ids, length }: Pass): string {
  if (!form.prefix) return ids;
  const all = graph.op('ReduceSum', [ids, graph.ints(1)], { keepdims: 1 });
  const rest = graph.op('Mod', [all, graph.number(PREFIX_MODULUS)], { fmod: 1 });
  let isPrefix: string;
  if (form.prefix === 'types') {
    graph.input('token_type_ids', INT64, ['batch_size', 'sequence_length']);
    isPrefix = graph.op('Cast', ['token_type_ids'], { to: FLOAT });
  } else {
    isPrefix = graph.op('Cast', [graph.op('Greater', [length, graph.index(1)])], { to: FLOAT });
  }
  return graph.op('Add', [ids, graph.op('Mul', [rest, isPrefix])]);
}

/** `[rows, tokens]`: positions counted from 1. */
function weights(graph: RandomGraph, { positions = 'ids' }: DecoderForm, past: string, length: string): string {
  const sequence = ['batch_size', 'sequence_length'];
  let places: string;
  if (positions === 'none') {
    const range = graph.op('Range', [past, graph.op('Add', [past, length]), graph.index(1)]);
    places = graph.reshape(graph.op('Cast', [range], { to: FLOAT }), 1, -1);
  } else {
    graph.input('position_ids', INT64, positions === 'axes' ? [3, ...sequence] : sequence);
    places = graph.op('Cast', ['position_ids'], { to: FLOAT });
    if (positions === 'axes') {
      const shares = graph.constant('axes', Float32Array.from(AXES), [3, 1, 1]);
      places = graph.op('ReduceSum', [graph.op('Mul', [places, shares]), graph.ints(0)], { keepdims: 0 });
    }
  }
  return graph.op('Add', [places, graph.number(1)]);
}

/** Adds a layer. Returns its share of the sum after each token of the pass, `[rows, tokens]`. */
function addLayer(pass: Pass, layer: Layer, place: number): string {
  switch (layer.cache) {
    case 'convolution':
      return layer.names.map((name) => convolution(pass, layer, name)).reduce((a, b) => pass.graph.op('Add', [a, b]));
    case 'compressed':
      return layer.names.map((name) => compressed(pass, name)).reduce((all, each) => pass.graph.op('Add', [all, each]));
    case 'recurrence':
      return recurrence(pass, layer.name);
    default:
      return attention(pass, layer, place);
  }
}

/** A cache: declares past and present and returns what was there with what is added. @param axis of the tokens */
function grown(
  { graph, form, reads }: Pass,
  [past, present]: readonly [string, string],
  added: string,
  shape: readonly (number | string)[],
  axis: number,
  last?: number,
): string {
  if (form.noCache) return added;
  const type = form.halfCache ? FLOAT16 : FLOAT;
  const dims = (tokens: string): (number | string)[] => shape.map((each, at) => (at === axis ? tokens : each));
  graph.input(past, type, dims('past_sequence_length'));
  const before = form.halfCache ? graph.op('Cast', [past], { to: FLOAT }) : past;
  const read = reads === '' || !form.branch ? before : graph.op('Mul', [before, reads]);
  const all = graph.op('Concat', [read, added], { axis });
  const kept =
    last === undefined ? all : graph.op('Slice', [all, graph.ints(-last), graph.ints(2 ** 31), graph.ints(axis)]);
  graph.node('Cast', [kept], present, { to: type });
  graph.output(present, type, dims('total_sequence_length'));
  return all;
}

type Attention = Extract<Layer, { cache: 'attention' | 'window' | 'joined-heads' | 'key-value' }>;

function attention(pass: Pass, layer: Attention, place: number): string {
  const { graph, ids3, past } = pass;
  const weights3 = graph.reshape(graph.op('Add', [pass.weights, graph.number(place)]), 0, 1, -1);
  // Without position ids there is one row of weights for all.
  const aligned = graph.op('Add', [graph.op('Mul', [ids3, graph.number(0)]), weights3]);
  const terms = graph.op('Mul', keysAndValues(pass, layer, place, [ids3, aligned]));
  const seen = graph.op('Cast', ['attention_mask'], { to: FLOAT });
  const sums = graph.op('CumSum', [layer.cache === 'window' ? terms : graph.op('Mul', [terms, seen]), graph.index(1)]);
  if (layer.cache !== 'window') {
    return graph.op('Slice', [sums, graph.reshape(past, 1), graph.ints(2 ** 31), graph.ints(1)]);
  }
  // The difference of two sums is the sum of a window.
  const zeros = graph.constant('padding', BigInt64Array.of(0n, BigInt(layer.tokens), 0n, 0n));
  const padded = graph.op('Pad', [sums, zeros]);
  const own = graph.op('Neg', [graph.reshape(pass.length, 1)]);
  const ends = graph.op('Slice', [sums, own, graph.ints(2 ** 31), graph.ints(1)]);
  const shift = graph.op('Sub', [own, graph.ints(layer.tokens)]);
  const starts = graph.op('Slice', [padded, shift, graph.ints(-layer.tokens), graph.ints(1)]);
  return graph.op('Sub', [ends, starts]);
}

/** Of all tokens, `[rows, tokens]` each. */
function keysAndValues(
  pass: Pass,
  layer: Attention,
  place: number,
  [ids, weights3]: [string, string],
): readonly string[] {
  const { graph } = pass;
  const names = (what: string): [string, string] => [`past_key_values.${place}.${what}`, `present.${place}.${what}`];
  const mean = (input: string, ...axes: number[]): string =>
    graph.op('ReduceMean', [input, graph.ints(...axes)], { keepdims: 0 });
  if (layer.cache === 'key-value') {
    const both = graph.op('Concat', [ids, weights3], { axis: 1 });
    const added = graph.op('Transpose', [both], { perm: [0, 2, 1] });
    const all = grown(pass, names('key_value'), added, ['batch_size', 'past', 2], 1);
    return [0, 1].map((at) =>
      graph.op('Squeeze', [graph.op('Slice', [all, graph.ints(at), graph.ints(at + 1), graph.ints(2)]), graph.ints(2)]),
    );
  }
  if (layer.cache === 'joined-heads') {
    const shape = ['batch_size x num_heads', 1, 'past'];
    const key = grown(pass, names('key'), splitHeads(graph, ids), shape, 2);
    const turned = graph.op('Transpose', [splitHeads(graph, weights3)], { perm: [0, 2, 1] });
    const value = grown(pass, names('value'), turned, ['batch_size x num_heads', 'past', 1], 1);
    return [joinHeads(graph, key), joinHeads(graph, graph.op('Transpose', [value], { perm: [0, 2, 1] }))];
  }
  const { heads = 2, keySize = 4, valueSize = 4 } = layer.cache === 'attention' ? layer : {};
  const last = layer.cache === 'window' ? layer.tokens - 1 : undefined;
  const parts = [
    ['key', ids, keySize],
    ['value', weights3, valueSize],
  ] as const;
  return parts.map(([what, input, width]) => {
    const marks = Float32Array.from({ length: heads * width }, (_, at) => 1 + Math.floor(at / width));
    const marked = graph.constant(`heads.${heads}.${width}`, marks, [1, heads, 1, width]);
    const added = graph.op('Mul', [graph.op('Unsqueeze', [input, graph.ints(3)]), marked]);
    const all = grown(pass, names(what), added, ['batch_size', heads, 'past', width], 2, last);
    return mean(graph.op('Div', [all, marked]), 1, 3);
  });
}

/** `[rows, 1, tokens]` to `[rows x heads, 1, tokens]`, with the second head doubled. */
function splitHeads(graph: RandomGraph, input: string): string {
  const two = graph.op('Concat', [input, graph.op('Mul', [input, graph.number(2)])], { axis: 1 });
  const shape = graph.op('Concat', [graph.ints(-1, 1), graph.reshape(size(graph, input, 2), 1)], { axis: 0 });
  return graph.op('Reshape', [two, shape]);
}

/** The reverse: `[rows x heads, 1, tokens]` to `[rows, tokens]`. */
function joinHeads(graph: RandomGraph, input: string): string {
  const shape = graph.op('Concat', [graph.ints(-1, 2), graph.reshape(size(graph, input, 2), 1)], { axis: 0 });
  const marks = graph.constant('two heads', Float32Array.of(1, 2), [1, 2, 1]);
  const undone = graph.op('Div', [graph.op('Reshape', [input, shape]), marks]);
  return graph.op('ReduceMean', [undone, graph.ints(1)], { keepdims: 0 });
}

/** What was before the pass, as far as it is read. */
function readState({ graph, reads }: Pass, past: string): string {
  return reads === '' ? past : graph.op('Mul', [past, reads]);
}

const CHANNELS = 3;

function convolution(pass: Pass, layer: Extract<Layer, { cache: 'convolution' }>, name: string): string {
  const { graph, ids, length } = pass;
  const { taps } = layer;
  const [past, present] = stateNames(name);
  const shape = layer.flat ? ['batch_size', CHANNELS] : ['batch_size', CHANNELS, taps];
  graph.input(past, FLOAT, shape);
  const before = layer.flat ? graph.reshape(past, 0, CHANNELS, 1) : past;
  const ones = graph.constant('channels', new Float32Array(CHANNELS).fill(1), [1, CHANNELS, 1]);
  const now = graph.op('Mul', [graph.reshape(ids, 0, 1, -1), ones]);
  const all = graph.op('Concat', [readState(pass, before), now], { axis: 2 });
  const kept = graph.op('Slice', [all, graph.ints(-taps), graph.ints(2 ** 31), graph.ints(2)]);
  graph.node('Reshape', [kept, layer.flat ? graph.ints(0, CHANNELS) : graph.ints(0, CHANNELS, taps)], present);
  graph.output(present, FLOAT, shape);
  // The newest token counts once, the one before twice.
  const kernel = Float32Array.from({ length: CHANNELS * taps }, (_, at) => (taps - (at % taps)) / CHANNELS);
  const filter = graph.constant(`kernel.${taps}`, kernel, [1, CHANNELS, taps]);
  const sums = graph.op('Conv', [all, filter], { kernel_shape: [taps] });
  const own = graph.op('Neg', [graph.reshape(length, 1)]);
  const last = graph.op('Slice', [sums, own, graph.ints(2 ** 31), graph.ints(2)]);
  return graph.op('Squeeze', [last, graph.ints(1)]);
}

function recurrence(pass: Pass, name: string): string {
  const { graph, ids } = pass;
  const [past, present] = stateNames(name);
  const shape = ['batch_size', 2, 3, 4];
  graph.input(past, FLOAT, shape);
  const before = readState(pass, past);
  const all = graph.op('ReduceSum', [ids, graph.ints(1)], { keepdims: 1 });
  graph.node('Add', [before, graph.reshape(all, -1, 1, 1, 1)], present);
  graph.output(present, FLOAT, shape);
  const start = graph.reshape(graph.op('ReduceMean', [before, graph.ints(1, 2, 3)], { keepdims: 0 }), -1, 1);
  return graph.op('Add', [graph.op('CumSum', [ids, graph.index(1)]), start]);
}

/** Grows with the tokens, but is no key or value. */
function compressed(pass: Pass, name: string): string {
  const { graph, ids, past } = pass;
  const added = graph.reshape(ids, 0, -1, 1);
  const all = grown(pass, stateNames(name), added, ['batch_size', 'past', 1], 1);
  const sums = graph.op('CumSum', [graph.op('Squeeze', [all, graph.ints(2)]), graph.index(1)]);
  return graph.op('Slice', [sums, graph.reshape(past, 1), graph.ints(2 ** 31), graph.ints(1)]);
}

function stateNames(name: string): [past: string, present: string] {
  // Those of Zaya are below the keys and values.
  return name.startsWith('.') ? [`past_key_values${name}`, `present${name}`] : [`past_${name}`, `present_${name}`];
}

function size(graph: RandomGraph, input: string, axis: number): string {
  return graph.op('Gather', [graph.op('Shape', [input]), graph.index(axis)], { axis: 0 });
}
