/** Made models that are compared with llama.cpp and ONNX Runtime: of every architecture, variant and kind of weights. @module */
import { TINY_ARCHITECTURES, type TinyArchitectureName } from './tiny-architectures.js';
import type { TinyFile } from './tiny-file.js';
import { VARIANTS } from './tiny-variants.js';

/** As files name them. */
export const COMPARED_KINDS = [
  ...(['F16', 'BF16', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'] as const),
  ...(['IQ4_NL', 'IQ4_XS', 'MXFP4'] as const),
];

/** By what is special: the file that this project's engine reads in 32 bits. */
export type ComparedModels = Readonly<Record<string, TinyFile>>;

/** Of every architecture, and of their variants. */
export const COMPARED_ARCHITECTURES: ComparedModels = Object.fromEntries(
  [
    ...(Object.keys(TINY_ARCHITECTURES) as TinyArchitectureName[]).map((architecture): [string, TinyFile] => [
      architecture,
      { architecture },
    ]),
    ...Object.entries(VARIANTS),
  ].map(([name, options]) => [name, { ...options, kind: 'F32' as const }]),
);

const SIZES = { width: 256, inner: 256 };

/** Tokens are looked up in a tensor of the kind, which llama.cpp does exactly; all others are floats. */
export const LOOKED_UP: ComparedModels = Object.fromEntries(
  COMPARED_KINDS.map((kind) => [
    `${kind}, looked up`,
    { ...SIZES, kind: (name: string) => (name === 'token_embd.weight' ? kind : 'F32'), untied: true },
  ]),
);

/** All matrices are of the kind. llama.cpp has the numbers that they hold as 32-bit floats: it rounds activations otherwise. */
export const MULTIPLIED: ComparedModels = Object.fromEntries(
  COMPARED_KINDS.map((kind) => [`${kind}, multiplied`, { ...SIZES, kind }]),
);
