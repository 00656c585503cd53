/** Output items of late answers, for clients that refer to them by id instead of sending them again. @module */
import type { OutputItem } from './response-object.js';

/** How much is kept. */
export interface RecentItemsLimits {
  items: number;
  /** Of the items as JSON in UTF-16. */
  bytes: number;
}

const LIMITS: RecentItemsLimits = { items: 2000, bytes: 16 * 1024 * 1024 };

interface Kept {
  item: OutputItem;
  bytes: number;
}

/** Kept in the gateway's memory only. The oldest are dropped first; a client sees only its own. */
export class RecentItems {
  readonly #limits: RecentItemsLimits;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(limits: RecentItemsLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @param caller name of the caller's rate-limit counters */
  keep(caller: string, item: OutputItem): void {
    const bytes = 2 * JSON.stringify(item).length;
    if (bytes > this.#limits.bytes) return;
    this.#kept.set(keyOf(caller, item.id), { item, bytes });
    this.#bytes += bytes;
    for (const [key, oldest] of this.#kept) {
      if (this.#kept.size <= this.#limits.items && this.#bytes <= this.#limits.bytes) return;
      this.#kept.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }

  find(caller: string, id: string): OutputItem | undefined {
    return this.#kept.get(keyOf(caller, id))?.item;
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
