/** Two ports that become the two ends of one call. @module */
import { serializeInferenceError } from '../core/errors/inference-error.js';
import { type CallPort, closeCallPort } from '../relay/handshake.js';
import type { CalleeMessage, CallerMessage } from '../relay/protocol.js';
import { peerLostError } from '../relay/stream/open-call.js';

/** How a call is passed on. */
export interface JoinOptions {
  /** What the callee gets of a message; undefined: nothing. */
  outward: (message: CallerMessage<unknown>) => CallerMessage<unknown> | undefined;
  /** Told when either end is gone. */
  onEnd?: () => void;
}

/**
 * Passes the messages of a call on, until either end is gone; then the other is closed.
 * @param caller at whose other end the caller is
 * @param callee at whose other end the callee is
 * @returns ends it, as if the callee were gone
 */
export function joinPorts(caller: CallPort, callee: CallPort, { outward, onEnd }: JoinOptions): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const end = (): void => {
    if (signal.aborted) return;
    ended.abort();
    closeCallPort(callee);
    // Nothing, when the call has ended.
    caller.postMessage({ type: 'error', error: serializeInferenceError(peerLostError()) });
    caller.close();
    onEnd?.();
  };
  const pass = (event: Event): void => {
    const message = outward((event as MessageEvent<CallerMessage<unknown>>).data);
    if (message) callee.postMessage(message);
  };
  const answer = (event: Event): void => {
    const message = (event as MessageEvent<CalleeMessage<unknown>>).data;
    caller.postMessage(message);
    // Not every browser tells one end of a MessagePort that the other is closed.
    if (message.type === 'end' || message.type === 'error') end();
  };
  caller.addEventListener('message', pass, { signal });
  callee.addEventListener('message', answer, { signal });
  for (const port of [caller, callee]) {
    port.addEventListener('close', end, { signal });
    port.start();
  }
  return end;
}
