/** Counts the message ports that are open, in tests of what leaves none behind. `vi.unstubAllGlobals()` ends it. */
import { vi } from 'vitest';

/** Counts those that are made from now on. A port that is moved counts no more; its other end does, until either is closed. */
export function openPorts(): { made: () => number; count: () => number } {
  const Native = MessageChannel;
  // Held here: nobody is told of the end of a port that is collected as garbage.
  const ports: MessagePort[] = [];
  let closed = 0;
  const watch = (port: MessagePort): void => {
    ports.push(port);
    port.addEventListener('close', () => (closed += 1), { once: true });
  };
  vi.stubGlobal(
    'MessageChannel',
    class extends Native {
      constructor() {
        super();
        watch(this.port1);
        watch(this.port2);
      }
    },
  );
  return { made: () => ports.length, count: () => ports.length - closed };
}
