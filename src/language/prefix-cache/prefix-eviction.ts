/** Which cached prefix is evicted, for the caches of all engines. @module */

/** Every fourth prefix that is evicted is the oldest one, even while conversations come back in turns. */
const OLDEST_EVERY = 4;

/** A prompt misses an evicted prefix when it lacks so many of its tokens: the length of a block. */
const NOTABLE_TOKENS = 64;

/** How many evicted prefixes are remembered, without keys and values. */
const MAX_EVICTED = 64;

/** How many tokens two texts begin with in common. */
export function commonLength(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

/**
 * The least recently used prefix is evicted, unless prompts continue what was evicted: then there are more conversations than
 * room, and where they come in turns, the oldest is the one that comes next. The newest ones are evicted instead, so that
 * the others still find theirs.
 */
export class PrefixEviction {
  /** Tokens of evicted prefixes, oldest first. */
  #evicted: (readonly number[])[] = [];
  /** The last prompt that was not cached had been evicted. */
  #isTight = false;
  #count = 0;

  /** @param found how many tokens of the prompt are cached */
  noteMiss(prompt: readonly number[], found: number): void {
    const missed = this.#evicted.findIndex((tokens) => commonLength(tokens, prompt) >= found + NOTABLE_TOKENS);
    if (missed !== -1) this.#evicted.splice(missed, 1);
    if (missed !== -1 || found === 0) this.#isTight = missed !== -1;
  }

  /**
   * The index of the prefix to evict, in a list with the least recently used first.
   * @param newest index of the newest one that may be evicted
   */
  choose(newest: number): number {
    this.#count += 1;
    return this.#isTight && this.#count % OLDEST_EVERY !== 0 ? newest : 0;
  }

  /** @param tokens of a prefix that was evicted */
  remember(tokens: readonly number[]): void {
    this.#evicted = [...this.#evicted, tokens].slice(-MAX_EVICTED);
  }

  /** Forgets what was evicted. */
  forget(): void {
    this.#evicted = [];
  }
}
