/** Open sessions of the browser's model: the next turn of a conversation continues its session. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LanguageModelSession } from './language-model.js';

/** Most sessions that are open at a time: each may hold keys and values in the browser's memory. */
const MAX_SESSIONS = 16;

/** An open session and the turns that it has read or written. */
export interface OpenSession {
  session: LanguageModelSession;
  /** One for each turn; equal turns have equal keys. */
  keys: readonly string[];
}

/** Destroys the least recently used sessions where there would be too many. */
export class SessionPool {
  /** The least recently used first. */
  #open: OpenSession[] = [];
  /** Room that is taken by sessions under way. */
  #opening = 0;
  readonly #held = new Set<OpenSession>();
  #isClosed = false;

  /** The session that knows most of the turns from the beginning on, and no others. It stays until {@link release}. */
  hold(keys: readonly string[]): OpenSession | undefined {
    const begins = ({ keys: known }: OpenSession): boolean => known.every((key, index) => key === keys[index]);
    let best: OpenSession | undefined;
    for (const open of this.#open) if (begins(open) && open.keys.length >= (best?.keys.length ?? 0)) best = open;
    if (!best) return undefined;
    this.#open = [...this.#open.filter((open) => open !== best), best];
    this.#held.add(best);
    return best;
  }

  /**
   * Opens a session once there is room. It stays until {@link release} or {@link discard}.
   * @throws InferenceError `unavailable` when the pool was closed
   */
  async open(keys: readonly string[], make: () => Promise<LanguageModelSession>): Promise<OpenSession> {
    while (this.#open.length + this.#opening >= MAX_SESSIONS) {
      const oldest = this.#open.find((open) => !this.#held.has(open));
      if (!oldest) break;
      this.discard(oldest);
    }
    this.#opening += 1;
    try {
      const session = await make();
      if (this.#isClosed) {
        session.destroy();
        throw new InferenceError('unavailable', 'The model was unloaded.', { retryAfter: 1 });
      }
      const open: OpenSession = { session, keys };
      this.#open.push(open);
      this.#held.add(open);
      return open;
    } finally {
      this.#opening -= 1;
    }
  }

  /** It may be used by others, or make room. @param keys what it knows now; of two that know the same, the newer stays */
  release(open: OpenSession, keys: readonly string[] = open.keys): void {
    this.#held.delete(open);
    open.keys = keys;
    const same = (other: OpenSession): boolean =>
      other !== open && !this.#held.has(other) && other.keys.join('\n') === keys.join('\n');
    for (const other of this.#open.filter(same)) this.discard(other);
  }

  /** Destroys a session. Safe to call twice. */
  discard(open: OpenSession): void {
    this.#held.delete(open);
    this.#open = this.#open.filter((other) => other !== open);
    open.session.destroy();
  }

  /** Destroys all sessions. The pool cannot be used after that. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }

  /** Destroys all. */
  clear(): void {
    for (const open of this.#open) this.discard(open);
  }
}
