/** Counts the message ports that are open, in tests of what leaves none behind. `vi.unstubAllGlobals()` ends it. */
import { vi } from 'vitest';

/** Counts those that are made from now on. A port that is moved counts no more; its other end does, until either is closed. */
export function openPorts(): { made: () => number; count: () => number } {
  const Native = MessageChannel;
  let made = 0;
  let closed = 0;
  const watch = (port: MessagePort): void => {
    made += 1;
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
  return { made: () => made, count: () => made - closed };
}
