/** The errors for files that cannot be used. Each names the file. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** The file is shorter than its head says. */
export function cutFile(file: string): InferenceError {
  return unavailable(`The file \`${file}\` is incomplete: it is shorter than its header states. Download it again.`);
}

export function notGguf(file: string): InferenceError {
  return unavailable(
    `The file \`${file}\` is not a GGUF file. It may be a web page or a Git LFS pointer that was saved in its place. Check where it comes from.`,
  );
}

export function damaged(file: string, why: string): InferenceError {
  return unavailable(`The file \`${file}\` is damaged: ${why}.`);
}

function unavailable(reason: string): InferenceError {
  return new InferenceError('unavailable', reason, { reason });
}

/** The file cannot run here, whatever is tried. */
export function unsupported(file: string, why: string): InferenceError {
  const reason = `The file \`${file}\` cannot run: ${why}.`;
  return new InferenceError('model_not_supported', reason, { permanent: true, reason });
}

/** A name of a file that may be anything, for a message. */
export function shown(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
