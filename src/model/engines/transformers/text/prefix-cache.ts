/** What stays of ended sequences, and how much of it the next prompt can use. @module */
import { type LogitsNeed, serves, type TokenLogits } from '../../../sampling/token-logits.js';
import { type RowState, SequenceState } from './sequence-state.js';

/** Where reading may begin inside an earlier prompt: at multiples of so many tokens, the length of a block on WASM. */
const REUSE_BLOCK = 64;

/** Keys and values of tokens that were read. */
export interface CachedPrefix {
  tokens: readonly number[];
  /** How many of them came with the prompt; the others were generated. */
  promptLength: number;
  /** The logits after the prompt: the same prompt again needs no run and gives the very same answer. */
  promptLogits: TokenLogits | undefined;
  held: RowState;
}

/**
 * How many tokens the prompt can take over. Inside the earlier prompt only whole blocks count: then the rest is computed
 * in the same runs, and to the last bit the same, as without anything kept (on WASM; a GPU reads longer blocks, which may
 * then be cut otherwise). Into generated tokens (a conversation that goes on) every token counts.
 */
export function reusableLength(kept: CachedPrefix, prompt: readonly number[], need: LogitsNeed): number {
  const common = commonLength(kept.tokens, prompt);
  const croppable = kept.held.state.isCroppable();
  const usable = (length: number): boolean => croppable || length === kept.tokens.length;
  if (knowsLogits(kept, prompt, common, need) && usable(common)) return common;
  // At least one token must be read, for its logits.
  const most = Math.min(common, prompt.length - 1);
  const length = most < kept.promptLength ? Math.floor(most / REUSE_BLOCK) * REUSE_BLOCK : most;
  return usable(length) ? length : 0;
}

function knowsLogits(kept: CachedPrefix, prompt: readonly number[], common: number, need: LogitsNeed): boolean {
  const isSame = kept.promptLength === prompt.length && common === prompt.length;
  return isSame && kept.promptLogits !== undefined && serves(kept.promptLogits, need);
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

/**
 * The prefixes of several conversations. A prompt continues the one with which it shares most; what goes on is taken
 * out, a part of something longer is copied. The least recently used go when there is no room.
 */
export class PrefixCache {
  readonly #mostBytes: number;
  /** The last used comes last. */
  #prefixes: CachedPrefix[] = [];

  /** @param mostBytes of keys and values; one prefix may be larger */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** How many there are. */
  get count(): number {
    return this.#prefixes.length;
  }

  /**
   * What the prompt can continue from, now the caller's; undefined: nothing.
   * @param need of the logits after the prompt
   */
  async take(prompt: readonly number[], need: LogitsNeed): Promise<CachedPrefix | undefined> {
    let best: CachedPrefix | undefined;
    let length = 0;
    for (const kept of this.#prefixes) {
      const reusable = reusableLength(kept, prompt, need);
      if (reusable > length) [best, length] = [kept, reusable];
    }
    if (!best) return undefined;
    this.#prefixes = this.#prefixes.filter((kept) => kept !== best);
    if (length === best.tokens.length) return best;
    this.#prefixes.push(best);
    const { tokens, promptLength, promptLogits, held } = best;
    held.state.hold();
    try {
      const state = await SequenceState.gather([{ ...held, length }]).catch(() => undefined);
      // There is no memory for a copy: reading anew needs some as well, and what is kept only saves time.
      if (!state) {
        this.dispose();
        return undefined;
      }
      return {
        tokens: tokens.slice(0, length),
        promptLength: Math.min(promptLength, length),
        promptLogits: length === promptLength ? promptLogits : undefined,
        held: { state, row: 0, length },
      };
    } finally {
      held.state.release();
    }
  }

  /** Takes over an ended sequence. One row of a larger state is copied out of it, so that the others can go. */
  async keep(prefix: CachedPrefix): Promise<void> {
    if (prefix.tokens.length === 0) return prefix.held.state.release();
    const { held } = prefix;
    if (held.state.rows === 1) {
      this.#prefixes.push(prefix);
    } else {
      const state = await SequenceState.gather([held]).finally(() => held.state.release());
      this.#prefixes.push({ ...prefix, held: { state, row: 0, length: held.length } });
    }
    this.#dropOldest();
  }

  /** Frees all. */
  dispose(): void {
    for (const { held } of this.#prefixes.splice(0)) held.state.release();
  }

  #dropOldest(): void {
    let bytes = this.#prefixes.reduce((sum, { held }) => sum + held.state.bytes, 0);
    while (bytes > this.#mostBytes && this.#prefixes.length > 1) {
      const { held } = this.#prefixes.shift()!;
      bytes -= held.state.bytes;
      held.state.release();
    }
  }
}
