/** Web Locks in Node: exclusive ones, first come, first served. */

export function memoryLocks(): LockManager {
  const lines = new Map<string, Promise<unknown>>();
  const held = new Set<string>();
  const request = async (name: string, options: LockOptions, use: (lock: unknown) => unknown): Promise<unknown> => {
    if (options.ifAvailable && (held.has(name) || lines.has(name))) return use(null);
    const before = lines.get(name) ?? Promise.resolve();
    const turn = (async () => {
      await before.catch(() => {});
      options.signal?.throwIfAborted();
      held.add(name);
      try {
        return await use({ name });
      } finally {
        held.delete(name);
      }
    })();
    lines.set(name, turn);
    const end = (): void => {
      if (lines.get(name) === turn) lines.delete(name);
    };
    turn.then(end, end);
    return turn;
  };
  return { request, query: async () => ({ held: [], pending: [] }) } as unknown as LockManager;
}
