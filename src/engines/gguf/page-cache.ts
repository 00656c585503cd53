/** The prefix cache: pages of ended sequences, and how much of them the next prompt can use. @module */
import { commonLength, PrefixEviction } from '../../language/prefix-cache/prefix-eviction.js';
import type { KvSequence } from './kv-pages.js';

/** What was read, and by whom. */
export interface CachedPrefix {
  /** Of the positions of `kv`. */
  tokens: readonly number[];
  kv: KvSequence;
  /** Undefined: the app, for all. See `GenerationRequest`. */
  caller: string | undefined;
  /** Id of the adapter that it was read with. */
  adapter?: string | undefined;
}

/**
 * Prefixes of several conversations. Any beginning of any of them can be continued, because keys and values do not depend on
 * how they were computed; with recurrent layers, one that ends where the state was kept.
 */
export class PageCache {
  /** Least recently used first. */
  #prefixes: CachedPrefix[] = [];
  readonly #eviction = new PrefixEviction();

  /** Number of prefixes. */
  get count(): number {
    return this.#prefixes.length;
  }

  /**
   * The longest beginning of the prompt that is cached, for the caller to continue; undefined when there is none. At least
   * one token is left, because its logits are needed.
   * @param caller whose prefixes are used, beside those of the app
   * @param adapter of the prompt: what was read with another one, or with none, is of no use
   */
  take(prompt: readonly number[], caller?: string, adapter?: string): KvSequence | undefined {
    let best: CachedPrefix | undefined;
    let length = 0;
    for (const prefix of this.#prefixes) {
      if ((prefix.caller !== undefined && prefix.caller !== caller) || prefix.adapter !== adapter) continue;
      const common = prefix.kv.usable(Math.min(commonLength(prefix.tokens, prompt), prompt.length - 1));
      if (common > length) [best, length] = [prefix, common];
    }
    this.#eviction.noteMiss(prompt, length);
    if (!best) return undefined;
    this.#prefixes = this.#prefixes.filter((prefix) => prefix !== best);
    // What is continued to its end is handed over, so that its last page need not be copied. What serves all stays, whoever
    // uses it: its absence would tell the others of that use.
    if (length === best.tokens.length && best.caller === caller) return best.kv;
    this.#prefixes.push(best);
    return best.kv.fork(length);
  }

  /** Adds an ended sequence, which belongs to the cache from now on. */
  keep(ended: CachedPrefix): void {
    const { tokens, kv, caller, adapter } = ended;
    if (tokens.length === 0) {
      kv.release();
      return;
    }
    // A sequence that another one continues is a part of it.
    this.#prefixes = this.#prefixes.filter((prefix) => {
      const isOther = prefix.caller !== caller || prefix.adapter !== adapter;
      const isWhole = isOther || prefix.tokens.length > tokens.length;
      const isPart = !isWhole && commonLength(prefix.tokens, tokens) === prefix.tokens.length;
      if (isPart) prefix.kv.release();
      return !isPart;
    });
    this.#prefixes.push(ended);
  }

  /** Gives up one prefix. @returns false when there is none */
  evict(): boolean {
    if (this.#prefixes.length === 0) return false;
    const index = this.#eviction.choose(this.#prefixes.length - 1);
    const [{ tokens, kv }] = this.#prefixes.splice(index, 1) as [CachedPrefix];
    this.#eviction.remember(tokens);
    kv.release();
    return true;
  }
}
