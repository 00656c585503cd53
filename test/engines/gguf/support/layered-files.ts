/** Made files of Gemma 4 with one layer of each sort. @module */
import { madeContent } from './made-architectures.js';
import { type TensorInput, writeGguf } from './write-gguf.js';

interface LayeredFile {
  /** Inputs of layers. */
  hasInputs: boolean;
  /** Of the table of inputs. */
  tableKind?: TensorInput['kind'];
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
  'attention.head_count_kv': [2, 1, 2, 1],
  feed_forward_length: [96, 96, 64, 64],
};

/** Shapes that are not those of the made model. */
const SHAPES: Readonly<Record<string, readonly number[]>> = {
  'per_layer_token_embd.weight': [INPUT * LAYERS, 106],
  'per_layer_model_proj.weight': [64, INPUT * LAYERS],
  'blk.1.attn_k.weight': [64, 32],
  ...Object.fromEntries(
    [2, 3].flatMap((layer) => [
      [`blk.${layer}.ffn_gate.weight`, [64, 64]],
      [`blk.${layer}.ffn_up.weight`, [64, 64]],
      [`blk.${layer}.ffn_down.weight`, [64, 64]],
    ]),
  ),
};

export function layeredFile({ hasInputs, tableKind = 'F32' }: LayeredFile): Uint8Array<ArrayBuffer> {
  const { metadata, tensors } = madeContent('gemma4');
  const keys = { ...KEYS, embedding_length_per_layer_input: hasInputs ? INPUT : 0 };
  const named = tensors.flatMap((tensor): TensorInput[] => {
    const [, layer, part] = /^blk\.(\d+)(\..*)$/.exec(tensor.name) ?? [];
    if (layer === undefined) return [tensor];
    const index = CHOSEN.indexOf(Number(layer));
    return index < 0 ? [] : [{ ...tensor, name: `blk.${index}${part}` }];
  });
  const isInput = ({ name }: TensorInput): boolean => /per_layer|inp_gate|\.proj\.|\.post_norm/.test(name);
  const shaped = named.map((tensor): TensorInput => {
    const shape = SHAPES[tensor.name] ?? tensor.shape;
    const data = tensor.data.slice(
      0,
      shape.reduce((product, size) => product * size, 1),
    );
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
