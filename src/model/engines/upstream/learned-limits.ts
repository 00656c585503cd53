/** Fields that not every service takes in the same way. @module */
import { isInferenceError } from '../../../core/errors/inference-error.js';

/** Optional fields: an answer without them is still right, so a request that was refused for one is sent again without it. */
const WISHES = new Set(['stream_options', 'parallel_tool_calls', 'reasoning_effort', 'chat_template_kwargs']);

type Body = Record<string, unknown>;

/**
 * What one service turned out not to take, learnt from its refusals and kept for the next requests: many know only some
 * of the wishes; newer models of some call the cap `max_completion_tokens`, and know no greedy decoding.
 */
export class LearnedLimits {
  readonly #refused = new Set<string>();
  #renamesCap = false;

  /** The body as the service takes it, as far as that is known. */
  apply({ max_tokens, ...rest }: Body): Body {
    const taken = Object.entries(rest).filter(([name, value]) => !this.#refused.has(name) || !mayGo(name, value));
    const cap = this.#renamesCap ? 'max_completion_tokens' : 'max_tokens';
    return { ...Object.fromEntries(taken), ...(max_tokens !== undefined && { [cap]: max_tokens }) };
  }

  /**
   * Whether the refusal taught something that makes another try worth while. Every lesson changes the body, so tries end.
   * @param sent the body that was refused; others may have taught the same meanwhile
   */
  learn(refusal: unknown, sent: Body): boolean {
    if (!isInferenceError(refusal) || refusal.code !== 'invalid_request') return false;
    const { message, param } = refusal;
    // The name alone does not tell an unknown field from a cap that is too high.
    if ('max_tokens' in sent && message.includes('max_completion_tokens')) return (this.#renamesCap = true);
    const isBlamed = (name: string): boolean =>
      param === undefined ? new RegExp(`\\b${name}\\b`).test(message) : param.split('.', 1)[0] === name;
    const blamed = Object.entries(sent).find(([name, value]) => mayGo(name, value) && isBlamed(name));
    if (blamed) this.#refused.add(blamed[0]);
    return blamed !== undefined;
  }
}

/** Here, a temperature of 0 stands for greedy decoding. */
function mayGo(name: string, value: unknown): boolean {
  return name === 'temperature' ? value === 0 : WISHES.has(name);
}
