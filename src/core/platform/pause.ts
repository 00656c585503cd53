/** Waits for a time that a signal can end. @module */

/**
 * Resolves after `milliseconds`, or as soon as the signal aborts; check the signal to tell which.
 * @param milliseconds Infinity: until the signal aborts
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<undefined> {
  if (signal?.aborted || milliseconds <= 0) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve(undefined);
    };
    // A timer of more than 31 bits would fire at once.
    const timer = Number.isFinite(milliseconds) ? setTimeout(finish, milliseconds) : undefined;
    signal?.addEventListener('abort', finish);
  });
}
