/** A backend whose models emit fixed token events: for answers that depend on where exactly a generation ended. */
import type { Backend } from '../../src/backends/backend.js';
import { scriptedBackend } from '../../src/backends/scripted/scripted-backend.js';
import type { TokenEvent } from '../../src/events/token-event.js';
import { source } from '../channels/token-source.js';

/** Every generation is these events, whatever was asked. */
export function tokenBackend(events: readonly TokenEvent[]): Backend {
  return {
    async load(entry, options) {
      const model = await scriptedBackend.load(entry, options);
      return { ...model, generate: () => source(events) };
    },
  };
}
