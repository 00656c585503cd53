/** A backend whose models emit fixed token events: for answers that depend on where exactly a generation ended. */
import type { Backend } from '../../src/models/backend.js';
import { scriptedBackend } from '../../src/backends/scripted/scripted-backend.js';
import type { TokenEvent } from '../../src/events/token-event.js';
import { source } from '../channels/token-source.js';
import { alteredBackend } from './altered-backend.js';

/** Every generation is these events, whatever was asked. */
export function tokenBackend(events: readonly TokenEvent[]): Backend {
  return alteredBackend(scriptedBackend, () => source(events));
}
