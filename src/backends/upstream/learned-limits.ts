/** Fields that not every service takes in the same way. @module */
import { isInferenceError } from '../../errors/inference-error.js';

/**
 * What one service turned out not to take, learnt from its refusals and kept for the next requests: newer models of some
 * call the cap `max_completion_tokens`, and know no greedy decoding.
 */
export class LearnedLimits {
  #renamesCap = false;
  #dropsGreedy = false;

  /** The body as the service takes it, as far as that is known. */
  apply({ max_tokens, temperature, ...rest }: Record<string, unknown>): Record<string, unknown> {
    const cap = this.#renamesCap ? 'max_completion_tokens' : 'max_tokens';
    return {
      ...rest,
      ...(max_tokens !== undefined && { [cap]: max_tokens }),
      ...((temperature !== 0 || !this.#dropsGreedy) && { temperature }),
    };
  }

  /** Whether the refusal taught something that makes another try worth while. */
  learn(refusal: unknown): boolean {
    if (!isInferenceError(refusal) || refusal.code !== 'invalid_request') return false;
    if (refusal.param === 'max_tokens' && !this.#renamesCap) return (this.#renamesCap = true);
    if (refusal.param === 'temperature' && !this.#dropsGreedy) return (this.#dropsGreedy = true);
    return false;
  }
}
