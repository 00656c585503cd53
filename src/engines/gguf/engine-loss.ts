/** The end of an engine whose kernels trapped, or whose thread is gone. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';

/** What is in the memory of such an engine can no longer be trusted. */
export function lostEngine(cause: unknown): InferenceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = 'The engine of this model failed, and is started again for the next request.';
  return new InferenceError('unavailable', message, { retryAfter: 5, reason }, { cause });
}

/** Watches work on kernels: the first failure that is not an InferenceError ends the engine. */
export class EngineLoss {
  /** Resolves with the failure. */
  readonly lost: Promise<InferenceError>;
  #report: (error: InferenceError) => void = () => {};
  #error: InferenceError | undefined;

  constructor() {
    this.lost = new Promise((resolve) => (this.#report = resolve));
  }

  /** @throws InferenceError `unavailable` when the engine is lost, and what the work throws */
  async guard<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#error) throw this.#error;
    try {
      return await work();
    } catch (thrown) {
      if (isInferenceError(thrown)) throw thrown;
      this.#report((this.#error = lostEngine(thrown)));
      throw this.#error;
    }
  }
}
