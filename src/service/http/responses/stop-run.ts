/** Ends responses that are made in the background, whichever engine of the origin makes them. @module */
import type { BackgroundRun } from '../../state/background-run.js';
import { holdLock } from './hold-lock.js';

/** Whoever holds it makes the response. */
export const lockOf = (id: string): string => `inpage:response:${id}`;

/** Engines of the origin tell each other on it what is to be ended. */
const STOPS = 'inpage:responses:stop';

/** Seconds that an engine may take to end a response. */
const STOP_TIMEOUT = 10;

/** Resolves when nobody makes the response any more. */
export async function stopRun(id: string): Promise<void> {
  const channel = new BroadcastChannel(STOPS);
  channel.postMessage(id);
  try {
    (await holdLock(lockOf(id), new AbortController().signal, STOP_TIMEOUT))();
  } catch {
    // An engine that does not answer is as good as gone.
  } finally {
    channel.close();
  }
}

/** Ends the run when somebody asks for it. */
export function stopWhenTold(id: string, run: BackgroundRun): void {
  const channel = new BroadcastChannel(STOPS);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => void (data === id && run.stop()));
  void run.done.then(() => channel.close());
}
