/** The error about a file that is not there. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

/** A caller that asks for a file that is not there. @param param where its id stands */
export function unknownFile(id: string, param: string): InferenceError {
  return new InferenceError('not_found', `\`${param}\`: there is no file \`${id.slice(0, 100)}\` here.`, { param });
}
