/** LoRA adapters of made files, and the files that have them in their weights. @module */
import type { TensorKind } from '../../../../src/engines/gguf/file/tensor-kinds.js';
import { dequantize, quantize } from './quantize.js';
import { inFloats, tinyContent, type TinyFile } from './tiny-file.js';
import { type MetadataInput, type TensorInput, writeGguf } from './write-gguf.js';

export interface TinyAdapter {
  /** What it is for. */
  model: TinyFile;
  /** Which of the model's tensors it changes. @default all matrices but the look-up */
  changes?: (name: string) => boolean;
  rank?: number;
  /** @default 2 × rank; 0: none is in the file */
  alpha?: number;
  /** Of what it has. @default F32 */
  kind?: TensorKind;
  /** The numbers that the kind holds are written as 32-bit floats. */
  asFloats?: boolean;
  /** Other adapters have other numbers. */
  seed?: number;
  metadata?: Record<string, MetadataInput>;
  /** In the place of the usual ones. */
  tensors?: readonly TensorInput[];
}

const LOOK_UP = 'token_embd.weight';
const isMatrix = ({ name, shape }: TensorInput): boolean => shape.length === 2 && name !== LOOK_UP;

/** A whole file. */
export function tinyAdapter(options: TinyAdapter): Uint8Array<ArrayBuffer> {
  const { model, rank = 6, alpha = 2 * rank, metadata = {}, tensors } = options;
  return writeGguf({
    metadata: {
      'general.architecture': model.architecture ?? 'llama',
      'general.type': 'adapter',
      'adapter.type': 'lora',
      ...(alpha !== 0 && { 'adapter.lora.alpha': { type: 'f32', value: alpha } }),
      ...metadata,
    },
    tensors: tensors ?? (options.asFloats ? halvesOf(options).map(inFloats) : halvesOf(options)),
  });
}

/** The tensors of an adapter. */
export function halvesOf({ model, changes, rank = 6, kind = 'F32', seed = 3 }: TinyAdapter): TensorInput[] {
  const changed = tinyContent(model).tensors.filter((tensor) => changes?.(tensor.name) ?? isMatrix(tensor));
  let state = seed;
  const random = (length: number, size: number): Float32Array =>
    Float32Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return size * (state / 2 ** 31 - 1);
    });
  return changed.flatMap(({ name, shape }): TensorInput[] => {
    const [columns, rows] = [shape[0]!, shape[1]!];
    const isLookUp = name === LOOK_UP;
    const [a, b] = isLookUp
      ? [
          [rank, rows],
          [rank, columns],
        ]
      : [
          [columns, rank],
          [rank, rows],
        ];
    const half = (part: string, size: number[], most: number): TensorInput => ({
      name: `${name}.lora_${part}`,
      shape: size,
      kind,
      data: random(size[0]! * size[1]!, most),
    });
    return [half('a', a, 1.5 / Math.sqrt(columns)), half('b', b, 0.4)];
  });
}

/** A model's file with adapters in its weights, which are 32-bit floats. */
export function mergedFile(model: TinyFile, adapters: readonly (TinyAdapter & { scale?: number })[]): TinyFile {
  const { tensors } = tinyContent({ ...model, kind: 'F32' });
  const halves = adapters.map(({ scale = 1, ...adapter }) => {
    const { rank = 6, alpha = 2 * rank } = adapter;
    return {
      rank,
      factor: alpha === 0 ? scale : (scale * alpha) / rank,
      numbers: new Map(
        halvesOf(adapter).map(({ name, kind, data }) => [name, dequantize(kind, quantize(kind, data as Float32Array))]),
      ),
    };
  });
  const merged = tensors.map((tensor): TensorInput => {
    const [columns, rows] = [tensor.shape[0]!, tensor.shape[1] ?? 1];
    const data = Float32Array.from(tensor.data as Float32Array);
    for (const { rank, factor, numbers } of halves) {
      const [a, b] = ['a', 'b'].map((part) => numbers.get(`${tensor.name}.lora_${part}`));
      if (!a || !b) continue;
      const isLookUp = tensor.name === LOOK_UP;
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          let sum = 0;
          for (let each = 0; each < rank; each++)
            sum += isLookUp
              ? a[row * rank + each]! * b[column * rank + each]!
              : a[each * columns + column]! * b[row * rank + each]!;
          data[row * columns + column]! += factor * sum;
        }
      }
    }
    return { ...tensor, data };
  });
  return { ...model, kind: 'F32', tensors: merged };
}
