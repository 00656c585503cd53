/** Lets a busy worker handle its messages. @module */

const waiting: (() => void)[] = [];
let port: MessagePort | undefined;

/**
 * Resolves after the event loop turned once, so that an abort message that already arrived is handled first.
 * In browsers a message to ourselves stands in line with the others and is not clamped like a timer; in Node, where a
 * port's messages are handled in one go, `setImmediate` does it.
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
