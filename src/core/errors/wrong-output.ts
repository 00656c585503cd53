/** A model that computes, but whose outputs cannot be an answer. @module */
import { InferenceError } from './inference-error.js';

/** Thrown where outputs are read; `engines/common/run-failure.ts` adds the model's name. */
export class WrongOutput extends InferenceError {
  /** @param reason what is wrong with the outputs, as the end of a sentence */
  constructor(reason: string) {
    super('model_not_supported', `The model cannot answer, because its outputs are wrong: ${reason}.`, {
      param: 'model',
      reason,
      permanent: true,
    });
  }
}

/** @throws WrongOutput when a value is not a finite number */
export function checkFinite(values: Float32Array | readonly number[], what: string): void {
  for (let index = 0; index < values.length; index++) {
    if (!Number.isFinite(values[index])) throw new WrongOutput(`${what} contains ${values[index]}`);
  }
}
