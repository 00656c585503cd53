/**
 * Watches of peers that call again and again: one Web Lock of each, because asking the browser's process for one has its price.
 * @module
 */
import { onPeerDeath } from './liveness-lock.js';

/** By the peers' lifelines: aborts when the peer is gone. Lasts as long as the peer. */
const watches = new Map<string, AbortSignal>();

/** As {@link onPeerDeath}. */
export function onCallerDeath(lifeline: string | undefined, onDeath: () => void, signal: AbortSignal): void {
  if (lifeline === undefined) return;
  const gone = watches.get(lifeline) ?? watchPeer(lifeline);
  // A function of its own: the same one may be told of two calls.
  gone.addEventListener('abort', () => onDeath(), { signal });
}

function watchPeer(lifeline: string): AbortSignal {
  const gone = new AbortController();
  watches.set(lifeline, gone.signal);
  const end = (): void => {
    watches.delete(lifeline);
    gone.abort();
  };
  onPeerDeath(lifeline, end, new AbortController().signal);
  return gone.signal;
}
