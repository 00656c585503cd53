/** The kinds of tensor that a GGUF file can hold: their names, and how many bytes a block of numbers has. @module */

/** Values in a block and bytes of a block, by the name of the kind. */
export const TENSOR_KINDS = {
  F32: { id: 0, values: 1, bytes: 4 },
  F16: { id: 1, values: 1, bytes: 2 },
  Q4_0: { id: 2, values: 32, bytes: 18 },
  Q4_1: { id: 3, values: 32, bytes: 20 },
  Q5_0: { id: 6, values: 32, bytes: 22 },
  Q5_1: { id: 7, values: 32, bytes: 24 },
  Q8_0: { id: 8, values: 32, bytes: 34 },
  Q8_1: { id: 9, values: 32, bytes: 36 },
  Q2_K: { id: 10, values: 256, bytes: 84 },
  Q3_K: { id: 11, values: 256, bytes: 110 },
  Q4_K: { id: 12, values: 256, bytes: 144 },
  Q5_K: { id: 13, values: 256, bytes: 176 },
  Q6_K: { id: 14, values: 256, bytes: 210 },
  Q8_K: { id: 15, values: 256, bytes: 292 },
  IQ2_XXS: { id: 16, values: 256, bytes: 66 },
  IQ2_XS: { id: 17, values: 256, bytes: 74 },
  IQ3_XXS: { id: 18, values: 256, bytes: 98 },
  IQ1_S: { id: 19, values: 256, bytes: 50 },
  IQ4_NL: { id: 20, values: 32, bytes: 18 },
  IQ3_S: { id: 21, values: 256, bytes: 110 },
  IQ2_S: { id: 22, values: 256, bytes: 82 },
  IQ4_XS: { id: 23, values: 256, bytes: 136 },
  I8: { id: 24, values: 1, bytes: 1 },
  I16: { id: 25, values: 1, bytes: 2 },
  I32: { id: 26, values: 1, bytes: 4 },
  I64: { id: 27, values: 1, bytes: 8 },
  F64: { id: 28, values: 1, bytes: 8 },
  IQ1_M: { id: 29, values: 256, bytes: 56 },
  BF16: { id: 30, values: 1, bytes: 2 },
  TQ1_0: { id: 34, values: 256, bytes: 54 },
  TQ2_0: { id: 35, values: 256, bytes: 66 },
  MXFP4: { id: 39, values: 32, bytes: 17 },
  NVFP4: { id: 40, values: 64, bytes: 36 },
  Q1_0: { id: 41, values: 128, bytes: 18 },
  Q2_0: { id: 42, values: 64, bytes: 18 },
} as const satisfies Record<string, { id: number; values: number; bytes: number }>;

/** Name of a kind of tensor, as GGUF's own documentation writes it. Not every kind can be computed with. */
export type TensorKind = keyof typeof TENSOR_KINDS;

const NAMES = new Map(Object.entries(TENSOR_KINDS).map(([name, { id }]) => [id as number, name as TensorKind]));

/** The kind with a number; undefined for a number that GGUF did not have when this was written. */
export function kindOfId(id: number): TensorKind | undefined {
  return NAMES.get(id);
}
