/** Waits: for a time that a signal can end, or for one turn of the event loop. @module */

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

/** Calls of {@link yieldToEventLoop} that wait for a message of `port`. */
const waiting: (() => void)[] = [];
let port: MessagePort | undefined;

/**
 * Resolves after the event loop turned once, so that an abort message that already arrived is handled first. In browsers a
 * message to ourselves queues behind the others and is not clamped like a timer. Node handles all messages of a port in one
 * go, so `setImmediate` is used there.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof globalThis.setImmediate === 'function') {
      globalThis.setImmediate(resolve);
      return;
    }
    waiting.push(resolve);
    port ??= openPort();
    port.postMessage(undefined);
  });
}

function openPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => waiting.shift()?.();
  return port2;
}
