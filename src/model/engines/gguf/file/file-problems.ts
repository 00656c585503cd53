/** The errors for files that cannot be used. Each names the file. @module */
import { InferenceError } from '../../../../core/errors/inference-error.js';

/** The file is shorter than its head says. */
export function cutFile(file: string): InferenceError {
  return new InferenceError(
    'unavailable',
    `The file \`${file}\` is incomplete: it is shorter than its header states. Download it again.`,
  );
}

export function notGguf(file: string): InferenceError {
  return new InferenceError('unavailable', `The file \`${file}\` is not a GGUF file.`);
}

export function damaged(file: string, why: string): InferenceError {
  return new InferenceError('unavailable', `The file \`${file}\` is damaged: ${why}.`);
}

/** The file cannot run here, whatever is tried. */
export function unsupported(file: string, why: string): InferenceError {
  return new InferenceError('model_not_supported', `The file \`${file}\` cannot run: ${why}.`, { permanent: true });
}

/** A name of a file that may be anything, for a message. */
export function shown(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
