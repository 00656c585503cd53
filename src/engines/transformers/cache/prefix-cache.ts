/** The prefix cache: KV caches of ended sequences, and how much of them the next prompt can reuse. @module */
import { commonLength, PrefixEviction } from '../../../language/prefix-cache/prefix-eviction.js';
import { type LogitsNeed, serves, type TokenLogits } from '../../../language/sampling/token-logits.js';
import { type RowState, SequenceState } from './sequence-state.js';

/** Reuse ends at a multiple of this many tokens inside an earlier prompt: the length of a prefill block on WASM. */
export const REUSE_BLOCK = 64;

/** Tokens that a cached prefix may have free room for. */
const MAX_FREE = 16;

/** Prefixes in the cache, however few bytes they need: each prompt is compared with all of them. */
const MAX_PREFIXES = 128;

/** The state after tokens that were read. */
export interface CachedPrefix {
  tokens: readonly number[];
  /** How many of the tokens are the prompt; the others were generated. */
  promptLength: number;
  /**
   * Number of leading tokens computed in the same passes as a new prefill would use. Generated tokens, and what was
   * processed after them, are equal but for the last bits.
   */
  exact: number;
  /** The logits after the prompt: with them the same prompt needs no forward pass and gives the same answer. */
  promptLogits: TokenLogits | undefined;
  held: RowState;
  /** Who read it; absent: the app, for all. See `GenerationRequest`. */
  caller?: string | undefined;
}

/**
 * How many tokens the prompt can reuse. Inside the earlier prompt only whole blocks count. The rest is then computed in the
 * same blocks as without a cache, and the result is the same to the last bit. (On WASM: a GPU reads longer blocks, which
 * may begin elsewhere.) In generated tokens, when a conversation goes on, every token counts.
 * @param blocks several tokens may be appended at once; else only the same prompt can reuse anything
 */
export function reusableLength(
  prefix: CachedPrefix,
  prompt: readonly number[],
  need: LogitsNeed,
  blocks = true,
): number {
  const common = commonLength(prefix.tokens, prompt);
  const croppable = prefix.held.state.isCroppable(prefix.tokens.length);
  const usable = (length: number): boolean => croppable || length === prefix.tokens.length;
  if (knowsLogits(prefix, prompt, common, need) && usable(common)) return common;
  if (!blocks) return 0;
  // At least one token must be read to get logits.
  const most = Math.min(common, prompt.length - 1);
  const length = most < prefix.promptLength ? Math.floor(most / REUSE_BLOCK) * REUSE_BLOCK : most;
  return usable(length) ? length : 0;
}

function knowsLogits(prefix: CachedPrefix, prompt: readonly number[], common: number, need: LogitsNeed): boolean {
  const isSame = prefix.promptLength === prompt.length && common === prompt.length;
  return isSame && prefix.promptLogits !== undefined && serves(prefix.promptLogits, need);
}

/**
 * Prefixes of several conversations. A prompt continues the one with the longest common part: a whole prefix is taken out
 * of the cache, a part is copied.
 */
export class PrefixCache {
  readonly #maxBytes: number;
  readonly #blocks: boolean;
  /** Least recently used first. */
  #prefixes: CachedPrefix[] = [];
  readonly #eviction = new PrefixEviction();

  /**
   * @param maxBytes maximum size of all prefixes; a single one may be larger
   * @param blocks several tokens may be appended at once
   */
  constructor(maxBytes: number, blocks = true) {
    this.#maxBytes = maxBytes;
    this.#blocks = blocks;
  }

  /** Number of prefixes. */
  get count(): number {
    return this.#prefixes.length;
  }

  /**
   * The prefix that the prompt continues, which now belongs to the caller.
   * @param need which logits after the prompt the caller reads
   * @param caller whose prefixes are used, beside those of the app
   */
  async take(prompt: readonly number[], need: LogitsNeed, caller?: string): Promise<CachedPrefix | undefined> {
    let best: CachedPrefix | undefined;
    let length = 0;
    for (const prefix of this.#prefixes) {
      if (prefix.caller !== undefined && prefix.caller !== caller) continue;
      const reusable = reusableLength(prefix, prompt, need, this.#blocks);
      if (reusable > length) [best, length] = [prefix, reusable];
    }
    this.#eviction.noteMiss(prompt, length);
    if (!best) return undefined;
    this.#prefixes = this.#prefixes.filter((prefix) => prefix !== best);
    // What serves all stays, whoever uses it: its absence would tell the others of that use.
    if (length === best.tokens.length && best.caller === caller) return best;
    this.#prefixes.push(best);
    const { tokens, promptLength, promptLogits, exact, held } = best;
    held.state.hold();
    try {
      const state = await SequenceState.gather([{ ...held, length }]).catch(() => undefined);
      // There is no memory for a copy. Reading the prompt needs memory too, so the cache is cleared.
      if (!state) {
        this.dispose();
        return undefined;
      }
      return {
        tokens: tokens.slice(0, length),
        promptLength: Math.min(promptLength, length),
        exact: Math.min(exact, length),
        promptLogits: length === promptLength ? promptLogits : undefined,
        held: { state, row: 0, length },
      };
    } finally {
      held.state.release();
    }
  }

  /** Adds an ended sequence. One row of a larger state is copied, so that the other rows, or its free room, can be freed. */
  async store(ended: CachedPrefix): Promise<void> {
    if (ended.tokens.length === 0) return ended.held.state.release();
    const prefix = this.#withoutSame(ended);
    const { held } = prefix;
    const free = held.state.canBeWritten ? held.state.tokens - held.length : 0;
    if (held.state.rows === 1 && free < MAX_FREE) {
      this.#prefixes.push(prefix);
    } else {
      // Without memory for a copy nothing is kept, which frees some.
      const state = await SequenceState.gather([held]).catch(() => undefined);
      held.state.release();
      if (state) this.#prefixes.push({ ...prefix, held: { state, row: 0, length: held.length } });
    }
    this.#evict();
  }

  /** Frees all prefixes. */
  dispose(): void {
    for (const { held } of this.#prefixes.splice(0)) held.state.release();
    this.#eviction.forget();
  }

  /** The same prompt answered with the same text again leaves one prefix, not one for each request. */
  #withoutSame(prefix: CachedPrefix): CachedPrefix {
    const { tokens, promptLength, promptLogits, caller } = prefix;
    const index = this.#prefixes.findIndex(
      (prefix) =>
        prefix.caller === caller &&
        prefix.promptLength === promptLength &&
        prefix.tokens.length === tokens.length &&
        commonLength(prefix.tokens, tokens) === tokens.length,
    );
    if (index === -1) return prefix;
    const [same] = this.#prefixes.splice(index, 1) as [CachedPrefix];
    // All logits serve every request, so those outlive what a greedy request left.
    const stays = same.promptLogits instanceof Float32Array && !(promptLogits instanceof Float32Array) ? same : prefix;
    (stays === same ? prefix : same).held.state.release();
    return stays;
  }

  #evict(): void {
    let bytes = this.#prefixes.reduce((sum, { held }) => sum + held.state.bytes, 0);
    while ((bytes > this.#maxBytes || this.#prefixes.length > MAX_PREFIXES) && this.#prefixes.length > 1) {
      // The last one is what the eviction makes room for.
      const index = this.#eviction.choose(this.#prefixes.length - 2);
      const [{ held, tokens }] = this.#prefixes.splice(index, 1) as [CachedPrefix];
      this.#eviction.remember(tokens);
      bytes -= held.state.bytes;
      held.state.release();
    }
  }
}
