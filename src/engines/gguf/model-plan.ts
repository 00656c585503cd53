/**
 * What a file's decoder is made of, by its head: sizes, and which tensor is which weight. Whatever of the file would not be
 * computed is refused here, before its weights are fetched.
 * @module
 */
import { ARCHITECTURES } from './architectures.js';
import type { ForwardShape, LayerShape, PlainShape } from './forward-shape.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import { ModelKeys } from './model-keys.js';
import { type MatrixPlan, ModelTensors } from './model-tensors.js';
import type { LayerInputs } from './model-weights.js';
import { type LayerPlan, planLayer } from './plan-layer.js';
import { originalContext, readLayered, readRope, readWindows } from './read-rope.js';
import {
  kvLayersOf,
  type LayerCounts,
  readCurves,
  readExperts,
  readLayerCounts,
  readLayerParts,
  readRecurrent,
  statesOf,
} from './read-layers.js';

export interface ModelPlan {
  architecture: string;
  /** Without what the entry decides. */
  shape: Omit<ForwardShape, 'exact' | 'precision'>;
  embedding: MatrixPlan;
  /** The embedding where the file has no tensor of its own for it. */
  head: MatrixPlan;
  outputNorm: GgufTensor;
  /** Divisors of RoPE's frequencies. */
  ropeFactors: GgufTensor | undefined;
  layers: readonly LayerPlan[];
  layerInputs: LayerInputs<MatrixPlan, GgufTensor> | undefined;
}

/** Sizes that heads and rows must be multiples of. */
const [HEAD_STEP, ROW_STEP] = [8, 32];

/**
 * @param contextLength positions that are wanted at most; by default as many as the model was trained for
 * @throws InferenceError `model_not_supported`, permanent; its message names the file and what is wrong
 */
export function planModel(header: GgufHeader, contextLength = Infinity): ModelPlan {
  const keys = new ModelKeys(header, ARCHITECTURES);
  const { architecture } = keys;
  const counts = readLayerCounts(keys, header.tensors.length);
  const shape = readShape(keys, counts, { contextLength });
  const { width } = shape;
  const tensors = new ModelTensors(header);
  for (let layer = counts.layers; layer < counts.all; layer++) tensors.ignore(`blk.${layer}.`);
  const embedding = tensors.table('token_embd.weight', width);
  const vocabulary = embedding.rows;
  const plan: ModelPlan = {
    architecture: keys.name,
    embedding,
    head: planHead(tensors, keys, { width, rows: vocabulary }) ?? embedding,
    outputNorm: tensors.vector(architecture.names?.outputNorm ?? 'output_norm.weight', width),
    ropeFactors: ropeFactors(tensors, shape, originalContext(keys)),
    layerInputs: planLayerInputs(tensors, shape, vocabulary),
    layers: repeated(
      Array.from({ length: counts.layers }, (_, layer) => planLayer(tensors, architecture, shape, layer)),
      shape.layers,
    ),
    shape: { ...shape, vocabulary },
  };
  tensors.refuseOthers();
  keys.refuseOthers();
  return plan;
}

function planHead(
  tensors: ModelTensors,
  { architecture }: ModelKeys,
  { width, rows }: { width: number; rows: number },
): MatrixPlan | undefined {
  const name = 'output.weight';
  return architecture.isUntied ? tensors.matrix(name, width, rows) : tensors.matrixIfThere(name, width, rows);
}

function planLayerInputs(
  tensors: ModelTensors,
  { layerInput = 0, layers, width }: PlainShape,
  vocabulary: number,
): LayerInputs<MatrixPlan, GgufTensor> | undefined {
  if (layerInput === 0) return undefined;
  return {
    table: tensors.matrix('per_layer_token_embd.weight', layerInput * layers, vocabulary),
    projection: tensors.matrix('per_layer_model_proj.weight', width, layerInput * layers),
    norm: tensors.vector('per_layer_proj_norm.weight', layerInput),
  };
}

/** As often as they are read. */
function repeated<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[index % items.length]!);
}

function readShape(keys: ModelKeys, counts: LayerCounts, { contextLength }: { contextLength: number }): PlainShape {
  const { architecture } = keys;
  const { layers } = counts;
  const width = keys.size('embedding_length');
  const heads = keys.size('attention.head_count');
  const { parts, kvHeads, feedForward } = readLayerParts(keys, counts, { heads });
  const { headSize, turned } = readHeads(keys, { width, heads });
  const recurrent = readRecurrent(keys, { width });
  const routed = readExperts(keys, counts, { feedForward });
  const { caps, isLayered } = architecture;
  const scaled = architecture.layersWithWideScale === layers ? width / heads : headSize;
  const rope = readRope(keys, { size: turned, headSize });
  const windows = isLayered ? readLayered(keys, counts, { parts, headSize }) : readWindows(keys, layers, rope);
  const own = windows.layerShapes.map((layer, index): LayerShape => ({
    ...layer,
    ...differing(parts[index]!, { kvHeads, feedForward }),
    ...(routed && index >= routed.dense && { isRouted: true }),
  }));
  const layerShapes = again(own, architecture.isLooped ? readLoops(keys) : { loops: 1, isNormed: false });
  const shape: PlainShape = {
    layers: layerShapes.length,
    width,
    heads,
    kvHeads,
    headSize,
    feedForward,
    epsilon: keys.epsilon('attention.layer_norm_rms_epsilon'),
    activation: architecture.activation,
    pairs: architecture.rope === 'none' ? 'halves' : architecture.rope,
    queryKeyNorm: architecture.queryKeyNorm,
    normsRotated: architecture.normsRotated,
    isQueryGated: architecture.isQueryGated,
    ...readScales(keys, { width, scaled, layers }),
    ...(isLayered && { attentionScale: 1, normsValues: true, layerInput: readLayerInput(keys) }),
    attentionCap: caps?.attention === undefined ? 0 : keys.number('attn_logit_softcapping', caps.attention),
    logitCap: caps ? keys.number('final_logit_softcapping', caps.logits) : 0,
    temperature: readTemperature(keys),
    rope,
    windowRope: windows.windowRope,
    layerShapes,
    recurrent,
    experts: routed?.experts,
    curves: readCurves(keys, layers),
    kvLayers: kvLayersOf(layerShapes, { kvHeads, headSize }),
    stateBytes: statesOf(recurrent, layerShapes),
    contextLength: Math.min(contextLength, keys.size('context_length')),
  };
  checkShape(keys, shape);
  if (!keys.flag('attention.causal', true)) keys.refuse('attention.causal', 'is false');
  return shape;
}

/** What differs from what all layers have. */
function differing(
  { mixer, kvHeads, feedForward }: Pick<LayerShape, 'mixer' | 'kvHeads' | 'feedForward'>,
  usual: { kvHeads: number; feedForward: number },
): Partial<LayerShape> {
  return {
    ...(mixer && { mixer }),
    ...(kvHeads !== undefined && kvHeads !== usual.kvHeads && { kvHeads }),
    ...(feedForward !== undefined && feedForward !== usual.feedForward && { feedForward }),
  };
}

/** @returns numbers of a head, and how many of them RoPE turns */
function readHeads(
  keys: ModelKeys,
  { width, heads }: { width: number; heads: number },
): { headSize: number; turned: number } {
  // Some files have no size of heads but that of what is rotated.
  const usual = keys.architecture.hasSinks ? keys.size('rope.dimension_count', width / heads) : width / heads;
  const headSize = keys.size('attention.key_length', usual);
  if (keys.size('attention.value_length', headSize) !== headSize)
    keys.refuse('attention.value_length', 'says that its keys and values have different sizes');
  return { headSize, turned: keys.size('rope.dimension_count', headSize) };
}

function checkShape(keys: ModelKeys, { layerShapes, ...shape }: PlainShape): void {
  const { width, heads, rope, windowRope, experts, layerInput = 0 } = shape;
  const check = (isRight: boolean, key: string, why: string): void => {
    if (!isRight) keys.refuse(key, why);
  };
  const checkRow = (key: string, size: number): void =>
    check(size % ROW_STEP === 0, key, `makes rows that are no multiples of ${ROW_STEP} numbers`);
  const checkTurned = (key: string, size: number, most: number): void =>
    check(size % HEAD_STEP === 0 && size <= most, key, `is ${size}, of ${most} numbers of a head`);
  checkRow('embedding_length', width);
  checkRow('embedding_length_per_layer_input', layerInput);
  checkRow('expert_feed_forward_length', experts?.feedForward ?? 0);
  checkRow('expert_shared_feed_forward_length', experts?.sharedFeedForward ?? 0);
  checkTurned('rope.dimension_count', rope.size, shape.headSize);
  for (const { mixer, kvHeads = shape.kvHeads, headSize = shape.headSize, ...layer } of layerShapes) {
    checkRow('feed_forward_length', layer.feedForward ?? shape.feedForward);
    if (mixer === 'recurrent' || mixer === 'none') continue;
    check(heads % kvHeads === 0, 'attention.head_count_kv', `is ${kvHeads}, which ${heads} heads cannot share`);
    check(
      headSize % HEAD_STEP === 0,
      'attention.key_length',
      `is ${headSize}, which is not a multiple of ${HEAD_STEP}`,
    );
    if (layer.rope === 'window' && windowRope) checkTurned('rope.dimension_count_swa', windowRope.size, headSize);
    checkRow('attention.head_count', heads * headSize);
  }
}

/** Loops that no model comes near. */
const MOST_LOOPS = 64;

function readLoops(keys: ModelKeys): { loops: number; isNormed: boolean } {
  const loops = keys.size('num_loops', 1, 0) || 1;
  if (loops > MOST_LOOPS) keys.refuse('num_loops', `is ${loops}`);
  return { loops, isNormed: !keys.flag('skip_loop_final_norm', false) };
}

/** Layers that are read several times, each time with keys and values of their own. */
function again(layers: readonly LayerShape[], { loops, isNormed }: { loops: number; isNormed: boolean }): LayerShape[] {
  return Array.from({ length: loops }, (_, loop) =>
    layers.map((layer, index) => (loop > 0 && index === 0 && isNormed ? { ...layer, isAgain: true } : layer)),
  ).flat();
}

function readTemperature(keys: ModelKeys): PlainShape['temperature'] {
  if (!keys.architecture.hasTemperature) return undefined;
  const scale = keys.number('attention.temperature_scale', 0);
  return scale === 0 ? undefined : { scale, positions: originalContext(keys) };
}

function readLayerInput(keys: ModelKeys): number {
  return keys.size('embedding_length_per_layer_input', 0, 0);
}

function readScales(
  keys: ModelKeys,
  { width, scaled, layers }: { width: number; scaled: number; layers: number },
): Pick<PlainShape, 'embeddingScale' | 'residualScale' | 'attentionScale' | 'logitScale'> {
  const attentionScale = scaled ** -0.5;
  const { scalesEmbedding, hasScales, scales } = keys.architecture;
  if (!hasScales)
    return { embeddingScale: scalesEmbedding ? Math.sqrt(width) : 1, residualScale: 1, attentionScale, logitScale: 1 };
  const usual = scales?.({ width, layers });
  return {
    embeddingScale: keys.factor('embedding_scale', usual?.embedding),
    residualScale: keys.factor('residual_scale', usual?.residual),
    attentionScale: keys.positiveFactor('attention.scale', attentionScale),
    logitScale: 1 / keys.factor('logit_scale', usual?.logit),
  };
}

/** Those of a file with two of them depend on the length that is wanted, not on that of a prompt. */
function ropeFactors(
  tensors: ModelTensors,
  { rope, contextLength }: PlainShape,
  original: number,
): GgufTensor | undefined {
  const [long, short, all] = ['rope_factors_long', 'rope_factors_short', 'rope_freqs'].map((name) =>
    tensors.vectorIfThere(`${name}.weight`, rope.size / 2),
  );
  return all ?? (contextLength > original ? long : short);
}
