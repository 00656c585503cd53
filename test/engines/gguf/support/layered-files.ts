/** Made files of Gemma 4 with one layer of each sort. @module */
import { madeContent } from './made-architectures.js';
import { type TensorInput, writeGguf } from './write-gguf.js';

interface LayeredFile {
  /** Inputs of layers. */
  hasInputs: boolean;
  /** Of the table of inputs. */
  tableKind?: TensorInput['kind'];
  /** Of whole layers: numbers of a head, and heads of keys. */
  headSize?: number;
  kvHeads?: number;
}

/** Of the made model: windowed and whole, whose keys are its values; and two such layers that read the keys of these. */
const CHOSEN = [0, 2, 3, 5];
const LAYERS = CHOSEN.length;
/** Numbers of an input. */
const INPUT = 32;

/** Layers differ in all that they may: windows, sizes and counts of heads, and sizes of the network. */
const KEYS = {
  block_count: LAYERS,
  'attention.shared_kv_layers': 2,
  'attention.sliding_window_pattern': [true, false, true, false],
  feed_forward_length: [96, 96, 64, 64],
};

/** Shapes that are not those of the made model. */
const shapesOf = (headSize: number, kvHeads: number): Readonly<Record<string, readonly number[]>> => ({
  'per_layer_token_embd.weight': [INPUT * LAYERS, 106],
  'per_layer_model_proj.weight': [64, INPUT * LAYERS],
  'rope_freqs.weight': [headSize / 2],
  'blk.1.attn_k.weight': [64, kvHeads * headSize],
  'blk.1.attn_k_norm.weight': [headSize],
  ...Object.fromEntries(
    [1, 3].flatMap((layer) => [
      [`blk.${layer}.attn_q.weight`, [64, 4 * headSize]],
      [`blk.${layer}.attn_q_norm.weight`, [headSize]],
      [`blk.${layer}.attn_output.weight`, [4 * headSize, 64]],
    ]),
  ),
  ...Object.fromEntries(
    [2, 3].flatMap((layer) => [
      [`blk.${layer}.ffn_gate.weight`, [64, 64]],
      [`blk.${layer}.ffn_up.weight`, [64, 64]],
      [`blk.${layer}.ffn_down.weight`, [64, 64]],
    ]),
  ),
});

export function layeredFile({
  hasInputs,
  tableKind = 'F32',
  headSize = 32,
  kvHeads = 1,
}: LayeredFile): Uint8Array<ArrayBuffer> {
  const { metadata, tensors } = madeContent('gemma4');
  const keys = {
    ...KEYS,
    embedding_length_per_layer_input: hasInputs ? INPUT : 0,
    'attention.head_count_kv': [2, kvHeads, 2, kvHeads],
    'attention.key_length': headSize,
    'attention.value_length': headSize,
    'rope.dimension_count': headSize,
  };
  const shapes = shapesOf(headSize, kvHeads);
  const named = tensors.flatMap((tensor): TensorInput[] => {
    const [, layer, part] = /^blk\.(\d+)(\..*)$/.exec(tensor.name) ?? [];
    if (layer === undefined) return [tensor];
    const index = CHOSEN.indexOf(Number(layer));
    return index < 0 ? [] : [{ ...tensor, name: `blk.${index}${part}` }];
  });
  const isInput = ({ name }: TensorInput): boolean => /per_layer|inp_gate|\.proj\.|\.post_norm/.test(name);
  const shaped = named.map((tensor): TensorInput => {
    const shape = shapes[tensor.name] ?? tensor.shape;
    const length = shape.reduce((product, size) => product * size, 1);
    // As in its files, a part of a head's pairs does not turn.
    const isTurned = (index: number): boolean => tensor.name !== 'rope_freqs.weight' || index < headSize / 8;
    const of = (index: number): number => (isTurned(index) ? tensor.data[index % tensor.data.length]! : 1e30);
    const data = Float32Array.from({ length }, (_, index) => of(index));
    return { ...tensor, shape, data, kind: tensor.name.startsWith('per_layer_token') ? tableKind : tensor.kind };
  });
  return writeGguf({
    metadata: {
      ...metadata,
      ...Object.fromEntries(Object.entries(keys).map(([key, value]) => [`gemma4.${key}`, value])),
    },
    tensors: shaped.filter((tensor) => hasInputs || !isInput(tensor)),
  });
}
