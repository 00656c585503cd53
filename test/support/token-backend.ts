/** A backend whose models write fixed tokens: for answers that depend on where exactly a generation ended. */
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import type { Backend } from '../../src/core/models/backend.js';
import { source, type Written } from '../service/answer/token-source.js';
import { alteredBackend } from './altered-backend.js';
import { oneByOne } from './token-events.js';

/** Every generation is these tokens, whatever was asked. */
export function tokenBackend(written: readonly Written[]): Backend {
  return alteredBackend(scriptedBackend, (_, request) => oneByOne(source(written, request)));
}
