/** Where the request counters of callers live. @module */

/** Requests of one caller: `[bucket, count]`, oldest first. A minute has second buckets, a day has minute buckets. */
export interface CallerCounters {
  minute: [bucket: number, count: number][];
  day: [bucket: number, count: number][];
}

/** Keeps counters. Names are digests, never keys. */
export interface CounterStore {
  /**
   * Reads, changes and writes one caller's counters as one step: no other update of the same store comes between.
   * @param change must not wait for anything; gives the new counters and the result
   */
  update: <Result>(
    caller: string,
    change: (counters: CallerCounters) => { counters: CallerCounters; result: Result },
  ) => Promise<Result>;
}

/** Counters of this process, for Node and for browsers without IndexedDB. */
export function createMemoryCounterStore(): CounterStore {
  const callers = new Map<string, CallerCounters>();
  return {
    update(caller, change) {
      const { counters, result } = change(callers.get(caller) ?? { minute: [], day: [] });
      callers.set(caller, counters);
      return Promise.resolve(result);
    },
  };
}
