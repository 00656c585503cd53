/** Lets a busy worker hear its messages. @module */

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/**
 * Resolves after the event loop turned once, so that an abort message that already arrived is handled first.
 * A message to ourselves stands in line with the others and is not clamped like a timer.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel ??= openChannel();
    channel.port2.postMessage(undefined);
  });
}

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.onmessage = () => {
    waiting.shift()?.();
    if (waiting.length > 0) return;
    // An open port would keep a Node process alive.
    if ('unref' in opened.port1) (opened.port1 as { unref(): void }).unref();
  };
  return opened;
}
