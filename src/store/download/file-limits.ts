/** How large the files of a model may be. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

/** Bytes. The largest tokenizers in use have 35 MB. */
const MOST_TOKENIZER_BYTES = 64 * 2 ** 20;
/** Bytes. The largest configs in use have less than 1 MB. */
const MOST_TEXT_BYTES = 4 * 2 ** 20;

/** Bytes. No device stores a larger file, so a server that says so is wrong. */
const MAX_BYTES = 2 ** 40;

const TOKENIZER = /(^|\/)(tokenizer|vocab|merges|sentencepiece|spiece)[^/]*\.(json|txt|model|bpe)$/;
const TEXT = /\.(json|jinja|txt|md|py)$/;

/** Bytes that a file with this name may have; Infinity for weights. */
export function mostBytes(file: string): number {
  if (TOKENIZER.test(file) && !file.endsWith('tokenizer_config.json')) return MOST_TOKENIZER_BYTES;
  return TEXT.test(file) ? MOST_TEXT_BYTES : Infinity;
}

/** Whether a file can have the size that someone says. */
export function isPlausible(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= MAX_BYTES;
}

/** @throws InferenceError `model_not_supported` for a file of more bytes than one with its name may have */
export function requirePlausibleSize(file: string, bytes: number): void {
  const most = mostBytes(file);
  if (bytes <= most) return;
  const reason = `The model's file \`${file}\` is larger than ${most / 2 ** 20} MB, which is more than any model needs.`;
  throw new InferenceError('model_not_supported', reason, { param: 'model', reason, permanent: true });
}
