/** Fake time for tests of messages and timers: no stall of the machine lets a timer overtake a message. */
import { vi } from 'vitest';

/** Turns of the event loop in which every message that was sent has arrived, and its answer too. */
const TURNS = 4;

/** From now on timers and `performance` follow {@link passTimeUntil}; `vi.useRealTimers()` ends it. Not intervals. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
}

/** Lets time pass until the work is done: a millisecond, then all messages that are under way, then the next. */
export async function passTimeUntil<T>(work: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const settled = work.finally(() => (state.isDone = true));
  settled.catch(() => {});
  while (!state.isDone) {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1);
  }
  return settled;
}
