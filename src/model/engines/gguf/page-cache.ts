/** The prefix cache: pages of ended sequences, and how much of them the next prompt can use. @module */
import type { KvSequence } from './kv-pages.js';

/** Every fourth prefix that is evicted is the oldest one, even while conversations come back in turns. */
const OLDEST_EVERY = 4;

/** A prompt misses an evicted prefix when it lacks so many of its tokens. */
const NOTABLE = 64;

/** How many evicted prefixes are remembered, without keys and values. */
const MAX_EVICTED = 64;

/** What was read, and by whom. */
export interface CachedPrefix {
  /** Of the positions of `kv`. */
  tokens: readonly number[];
  kv: KvSequence;
  /** Undefined: the app, for all. See `GenerationRequest`. */
  caller: string | undefined;
}

/**
 * Prefixes of several conversations. Any beginning of any of them can be continued, because keys and values do not depend on
 * how they were computed.
 *
 * The least recently used one is evicted, unless prompts continue what was evicted: then there are more conversations than
 * room, and where they come in turns, the oldest is the one that comes next. The newest ones are evicted instead, so that
 * the others still find theirs.
 */
export class PageCache {
  /** Least recently used first. */
  #prefixes: CachedPrefix[] = [];
  /** Tokens of evicted prefixes, oldest first. */
  #lost: (readonly number[])[] = [];
  /** The last prompt that was not cached had been evicted. */
  #isTight = false;
  #evicted = 0;

  /** Number of prefixes. */
  get count(): number {
    return this.#prefixes.length;
  }

  /**
   * The longest beginning of the prompt that is cached, for the caller to continue; undefined when there is none. At least
   * one token is left, because its logits are needed.
   * @param caller whose prefixes are used, beside those of the app
   */
  take(prompt: readonly number[], caller?: string): KvSequence | undefined {
    let best: CachedPrefix | undefined;
    let length = 0;
    for (const prefix of this.#prefixes) {
      if (prefix.caller !== undefined && prefix.caller !== caller) continue;
      const common = Math.min(commonLength(prefix.tokens, prompt), prompt.length - 1);
      if (common > length) [best, length] = [prefix, common];
    }
    this.#noteMiss(prompt, length);
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
    const { tokens, kv, caller } = ended;
    if (tokens.length === 0) {
      kv.release();
      return;
    }
    // A sequence that another one continues is a part of it.
    this.#prefixes = this.#prefixes.filter((prefix) => {
      const isWhole = prefix.tokens.length > tokens.length || prefix.caller !== caller;
      const isPart = !isWhole && commonLength(prefix.tokens, tokens) === prefix.tokens.length;
      if (isPart) prefix.kv.release();
      return !isPart;
    });
    this.#prefixes.push(ended);
  }

  /** Gives up one prefix. @returns false when there is none */
  evict(): boolean {
    if (this.#prefixes.length === 0) return false;
    this.#evicted += 1;
    const place = this.#isTight && this.#evicted % OLDEST_EVERY !== 0 ? this.#prefixes.length - 1 : 0;
    const [{ tokens, kv }] = this.#prefixes.splice(place, 1) as [CachedPrefix];
    this.#lost = [...this.#lost, tokens].slice(-MAX_EVICTED);
    kv.release();
    return true;
  }

  /** @param found how many tokens of the prompt are cached */
  #noteMiss(prompt: readonly number[], found: number): void {
    const lost = this.#lost.findIndex((tokens) => commonLength(tokens, prompt) >= found + NOTABLE);
    if (lost !== -1) this.#lost.splice(lost, 1);
    if (lost !== -1 || found === 0) this.#isTight = lost !== -1;
  }
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}
