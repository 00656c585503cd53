/** A dense layer of sentence-transformers after the pooling, as LaBSE and EmbeddingGemma have. @module */
import { ownEntry } from '../../../core/json/own-entry.js';
import { halfToFloats } from '../ort/half-floats.js';

/** Turns a pooled vector into another one, which may have another length. */
export type DenseLayer = (vector: Float32Array) => Float32Array;

/** By the name of its class in PyTorch. */
const ACTIVATIONS: Readonly<Record<string, (value: number) => number>> = {
  Identity: (value) => value,
  ReLU: (value) => Math.max(0, value),
  Sigmoid: (value) => 1 / (1 + Math.exp(-value)),
  Tanh: Math.tanh,
};

/**
 * @param folder of its files, for the refusal
 * @param config parsed `config.json`
 * @param weights `model.safetensors`
 * @returns the layer, or why it cannot be applied
 */
export function readDenseLayer(folder: string, config: unknown, weights: Uint8Array | undefined): DenseLayer | string {
  if (typeof config !== 'object' || config === null || !weights) {
    return `its dense layer \`${folder}\` has no \`config.json\` and \`model.safetensors\``;
  }
  const fields = config as Record<string, unknown>;
  const { activation_function: named = 'Tanh' } = fields;
  const configured = typeof named === 'string' ? named : JSON.stringify(named);
  const activation = ownEntry(ACTIVATIONS, configured.split('.').at(-1)!);
  if (!activation) return `its dense layer \`${folder}\` has the activation \`${configured}\``;
  const { use_residual: residual, module_input_name: input = 'sentence_embedding' } = fields;
  if (residual === true || input !== 'sentence_embedding') return `its dense layer \`${folder}\` has an unknown format`;
  const tensors = readSafetensors(weights);
  const [weight, bias] = [tensors.get('linear.weight'), tensors.get('linear.bias')];
  const width = fields['in_features'];
  if (!weight || typeof width !== 'number') return `the weights of its dense layer \`${folder}\` cannot be read`;
  const size = weight.length / width;
  return (vector) =>
    Float32Array.from({ length: size }, (_, row) => {
      let sum = bias?.[row] ?? 0;
      for (let column = 0; column < width; column++) sum += weight[row * width + column]! * vector[column]!;
      return activation(sum);
    });
}

/** An entry of a file's header. */
interface TensorEntry {
  dtype: string;
  data_offsets: readonly [number, number];
}

/** The tensors of a file by name; those of another kind than floats are left out. */
function readSafetensors(bytes: Uint8Array): ReadonlyMap<string, Float32Array> {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size))) as Record<string, TensorEntry>;
  const tensors = new Map<string, Float32Array>();
  for (const [name, { dtype, data_offsets: range }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    // A copy begins at an address that all arrays can have.
    const { buffer } = bytes.slice(8 + size + range[0], 8 + size + range[1]);
    if (dtype === 'F32') tensors.set(name, new Float32Array(buffer));
    if (dtype === 'F16') tensors.set(name, halfToFloats(new Uint16Array(buffer)));
    if (dtype === 'BF16') tensors.set(name, upperHalves(new Uint16Array(buffer)));
  }
  return tensors;
}

/** Floats of which only the upper 16 bits are there. */
function upperHalves(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
}
