/** How many requests of one web page the engine has at a time, so that the extension's own do not wait behind all of them. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';

/** Requests of one origin that are under way, and that wait for one of those to end. */
const MAX_RUNNING = 4;
const MAX_WAITING = 16;

/** The turns of one origin. */
interface Turns {
  running: number;
  /** In order; each begins its request. */
  waiting: (() => void)[];
}

const all = new Map<string, Turns>();

/**
 * Resolves when a request of the origin may begin, with what ends its turn.
 * @throws InferenceError `rate_limit_exceeded` when too many wait; the reason of the signal
 */
export async function takeTurn(origin: string, signal: AbortSignal): Promise<() => void> {
  const turns = all.get(origin) ?? { running: 0, waiting: [] };
  all.set(origin, turns);
  if (turns.running < MAX_RUNNING) turns.running += 1;
  else if (turns.waiting.length < MAX_WAITING) await wait(origin, turns, signal);
  else {
    const message = `A page may have ${MAX_RUNNING} requests under way and ${MAX_WAITING} that wait.`;
    throw new InferenceError('rate_limit_exceeded', message, { retryAfter: 1 });
  }
  return () => leave(origin, turns);
}

/** The turn goes to whoever is next. */
function leave(origin: string, turns: Turns): void {
  const next = turns.waiting.shift();
  if (next) next();
  else if (--turns.running === 0) all.delete(origin);
}

async function wait(origin: string, turns: Turns, signal: AbortSignal): Promise<void> {
  let begin: () => void = () => {};
  const turn = new Promise<void>((resolve) => (begin = resolve));
  turns.waiting.push(begin);
  try {
    await orAborted(turn, signal);
  } catch (thrown) {
    const place = turns.waiting.indexOf(begin);
    if (place >= 0) turns.waiting.splice(place, 1);
    else leave(origin, turns);
    throw thrown;
  }
}
