/** Items of late answers that are stored nowhere else. @module */
import type { StoredItem } from './records.js';

/** How much is held in memory. */
interface RecentItemsLimits {
  items: number;
  /** Of the items as JSON in UTF-16. */
  bytes: number;
}

const LIMITS: RecentItemsLimits = { items: 2000, bytes: 16 * 1024 * 1024 };

interface RecentItem {
  item: StoredItem;
  bytes: number;
}

/**
 * Output items of late answers, for clients that refer to them by id instead of sending them again. Only in the
 * gateway's memory. The oldest are dropped first; a client sees only its own.
 */
export class RecentItems {
  readonly #limits: RecentItemsLimits;
  readonly #items = new Map<string, RecentItem>();
  #bytes = 0;

  constructor(limits: RecentItemsLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @param caller name of the caller's rate-limit counters */
  add(caller: string, item: StoredItem): void {
    this.forget(caller, [item]);
    const bytes = 2 * JSON.stringify(item).length;
    if (bytes > this.#limits.bytes) return;
    this.#items.set(keyOf(caller, item.id), { item, bytes });
    this.#bytes += bytes;
    for (const [key, oldest] of this.#items) {
      if (this.#items.size <= this.#limits.items && this.#bytes <= this.#limits.bytes) return;
      this.#items.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }

  /** Items that are found elsewhere from now on. */
  forget(caller: string, items: readonly { readonly id: string }[]): void {
    for (const { id } of items) {
      const key = keyOf(caller, id);
      this.#bytes -= this.#items.get(key)?.bytes ?? 0;
      this.#items.delete(key);
    }
  }

  find(caller: string, id: string): StoredItem | undefined {
    return this.#items.get(keyOf(caller, id))?.item;
  }

  /** Of all callers. */
  clear(): void {
    this.#items.clear();
    this.#bytes = 0;
  }
}

function keyOf(caller: string, id: string): string {
  return `${caller} ${id}`;
}
