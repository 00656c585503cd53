/** Promises with a time limit. @module */
/** The promise's value, or undefined when it is still pending after `milliseconds`. Rejects when the promise rejects before that. */
export async function settledWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A time limit in several turns. */
export interface PollLimit {
  /** Milliseconds. */
  intervalMs: number;
  attempts: number;
}

/**
 * Whether an answer comes in time. Waits several turns instead of once, because after sleep a thread's timer fires before
 * the messages that arrived meanwhile are handled.
 */
export async function respondsWithin(answer: Promise<unknown>, { intervalMs, attempts }: PollLimit): Promise<boolean> {
  const answered = answer.then(
    () => true,
    () => true,
  );
  for (let silent = 0; silent < attempts; silent++) if (await settledWithin(answered, intervalMs)) return true;
  return false;
}
