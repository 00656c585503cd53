/** A promise with a time limit. @module */
/** The promise's value, or undefined when it is still pending after `milliseconds`. Rejects when it rejects in time. */
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

/** How long a silence must be. */
export interface Patience {
  /** Milliseconds. */
  turn: number;
  turns: number;
}

/**
 * False when the answer has not come after so many turns, one after the other. Turns and not a time, because a realm
 * that slept itself finds its timer run out while the answers of that time still wait behind it.
 */
export async function answersInTime(answer: Promise<unknown>, { turn, turns }: Patience): Promise<boolean> {
  const answered = answer.then(
    () => true,
    () => true,
  );
  for (let silent = 0; silent < turns; silent++) if (await settledWithin(answered, turn)) return true;
  return false;
}
