/** The precision of a model's weights, as an entry says it. Public. @module */
import { isObject } from './option-schema.js';
import * as v from 'valibot';

/** Precisions that transformers.js knows. */
export type DtypeName =
  | 'auto'
  | 'fp32'
  | 'fp16'
  | 'q8'
  | 'int8'
  | 'uint8'
  | 'q4'
  | 'q4f16'
  | 'bnb4'
  | 'q2'
  | 'q2f16'
  | 'q1'
  | 'q1f16'
  // A text that an app has read from elsewhere; it is checked at the start.
  | (string & {});

/** A precision for all parts of a model, or by part, e.g. `embed_tokens`, `vision_encoder`, `decoder_model_merged`. */
export type Dtype = DtypeName | Record<string, DtypeName>;

/** @internal What transformers.js knows. */
export const DTYPES: readonly string[] = 'auto fp32 fp16 q8 int8 uint8 q4 q4f16 bnb4 q2 q2f16 q1 q1f16'.split(' ');
/** Parts of models that see or hear. */
const PARTS = ['embed_tokens', 'vision_encoder', 'audio_encoder', 'encoder_model', 'decoder_model_merged'];

/** @internal */
export const DTYPE = v.custom<Dtype | { wasm?: Dtype; webgpu?: Dtype }>(
  (value) => isDtype(value, ['wasm', 'webgpu', ...PARTS]),
  `one of ${DTYPES.join(', ')}, or an object with these for \`wasm\` and \`webgpu\`, or for parts of the model`,
);

function isDtype(value: unknown, names: readonly string[]): boolean {
  if (!isObject(value)) return DTYPES.includes(value as string);
  return Object.entries(value).every(([name, inner]) => names.includes(name) && isDtype(inner, PARTS));
}
