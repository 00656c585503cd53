/** The layers that the shaders compute: attention and one feed-forward network. @module */
import type { Activation } from '../architectures.js';
import type { ModelPlan } from '../model-plan.js';
import type { LayerMatrices } from '../model-weights.js';
import { areRouted, besideExperts } from './routed-layers.js';

/** Architectures whose log-probabilities on WebGPU were compared with those of WASM. */
const COMPARED: ReadonlySet<string> = new Set([
  'llama',
  'qwen2',
  'qwen3',
  'gemma',
  'gemma2',
  'gemma3',
  'gemma4',
  'phi3',
  'granite',
  'smollm3',
  'olmo2',
  'mistral3',
  'exaone4',
  'ernie4_5',
  'minicpm',
  'qwen2vl',
  'qwen3vl',
  'hunyuan-dense',
  'nanbeige',
  'apertus',
  'qwen3moe',
  'granitemoe',
  'gpt-oss',
]);

/** The matrices that each of these layers has. */
type PlainMatrix = 'query' | 'output';

type PlainMatrices<Matrix> = Readonly<Record<PlainMatrix, Matrix>> & {
  /** What opens the inside of a network; undefined: that is bent itself. */
  readonly gate: Matrix | undefined;
  /** Undefined: it is experts. */
  readonly up: Matrix | undefined;
  readonly down: Matrix | undefined;
  /** Undefined: it reads those of another layer. One matrix may be both. */
  readonly key: Matrix | undefined;
  readonly value: Matrix | undefined;
  /** What opens the layer's own input, and what it gives; undefined: there is none. */
  readonly inputGate: Matrix | undefined;
  readonly inputOutput: Matrix | undefined;
};

/** What a gate is bent by. */
export type PlainGate = 'silu' | 'gelu' | 'clipped';

/** Undefined: a layer of another sort. */
function plainMatrices<Matrix>(matrices: LayerMatrices<Matrix>): PlainMatrices<Matrix> | undefined {
  const { query, key, value, output, gate, up, down, inputGate, inputOutput, ...others } = besideExperts(matrices);
  if (Object.values(others).some((other) => other !== undefined)) return undefined;
  if (!query || !output) return undefined;
  return { query, key, value, output, gate, up, down, inputGate, inputOutput };
}

/** The same of a layer whose model {@link isPlain}. */
export function requirePlain<Matrix>(matrices: LayerMatrices<Matrix>): PlainMatrices<Matrix> {
  const plain = plainMatrices(matrices);
  if (!plain) throw new TypeError('A layer has matrices that no shader reads.');
  return plain;
}

/** Undefined: the shaders bend what is inside a network by `xielu`, or do not compute the activation. */
export function plainGate(activation: Activation): PlainGate | undefined {
  return activation === 'silu' || activation === 'gelu' || activation === 'clipped' ? activation : undefined;
}

/** Whether the shaders compute the layers of a model. */
export function isPlain({ architecture, layers, shape }: ModelPlan): boolean {
  if (!COMPARED.has(architecture) || shape.recurrent) return false;
  if (shape.experts && !areRouted(shape.experts)) return false;
  const isGated = plainGate(shape.activation) !== undefined;
  if (!isGated && shape.activation !== 'xielu') return false;
  return layers.every(({ matrices, vectors, experts }) => {
    const plain = plainMatrices(matrices);
    if (!plain) return false;
    const { gate, up, down } = plain;
    // Beside experts there is a network in Gemma 4 alone.
    if (experts && !vectors.expertNorm) return isGated && !gate && !up && !down;
    return up !== undefined && down !== undefined && isGated === (gate !== undefined);
  });
}
