/** The error of an encoder that cannot run here. Imports no engine, because `inpage pack` reads it in Node. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** @param reason ends the sentence */
export function notSupported(reason: string): InferenceError {
  return new InferenceError('model_not_supported', `This model cannot run here: ${reason}.`, { param: 'model' });
}
