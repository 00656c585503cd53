/** The layers that the shaders compute: attention and a gated feed-forward, as the first decoders of this engine have them. @module */
import type { ModelPlan } from '../model-plan.js';
import type { LayerMatrices } from '../model-weights.js';

/** Architectures whose log-probabilities on WebGPU were compared with those of WASM. */
const COMPARED: ReadonlySet<string> = new Set([
  'llama',
  'qwen2',
  'qwen3',
  'gemma',
  'gemma2',
  'gemma3',
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
]);

/** The matrices that each of these layers has. */
type PlainMatrix = 'query' | 'key' | 'value' | 'output' | 'gate' | 'up' | 'down';

export type PlainMatrices<Matrix> = Readonly<Record<PlainMatrix, Matrix>>;

/** What the feed-forward of these layers is bent by. */
export type PlainActivation = 'silu' | 'gelu';

/** Undefined: a layer of another sort. */
function plainMatrices<Matrix>(matrices: LayerMatrices<Matrix>): PlainMatrices<Matrix> | undefined {
  const { query, key, value, output, gate, up, down, ...others } = matrices;
  if (Object.values(others).some((other) => other !== undefined)) return undefined;
  if (!query || !key || !value || !output || !gate || !up || !down) return undefined;
  return { query, key, value, output, gate, up, down };
}

/** The same of a layer whose model {@link isPlain}. */
export function requirePlain<Matrix>(matrices: LayerMatrices<Matrix>): PlainMatrices<Matrix> {
  const plain = plainMatrices(matrices);
  if (!plain) throw new TypeError('A layer has matrices that no shader reads.');
  return plain;
}

export function plainActivation(activation: string): PlainActivation {
  if (activation === 'silu' || activation === 'gelu') return activation;
  throw new TypeError(`No shader computes the activation ${activation}.`);
}

/** Whether the shaders compute the layers of a model. */
export function isPlain({ architecture, layers, shape }: ModelPlan): boolean {
  if (!COMPARED.has(architecture) || shape.experts || shape.recurrent) return false;
  const { activation } = shape;
  if (activation !== 'silu' && activation !== 'gelu') return false;
  return layers.every(({ matrices, experts }) => !experts && plainMatrices(matrices) !== undefined);
}
