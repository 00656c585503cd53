/** A backend whose models break off in the middle: for answers that fail after they began. */
import type { Backend } from '../../src/core/models/backend.js';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { InferenceErrorCode } from '../../src/core/errors/inference-error.js';
import { alteredBackend } from './altered-backend.js';

/** What it throws with. */
export const BREAKING_MESSAGE = 'The engine broke off.';

/** The same models, but every generation throws after so many of its token events. */
export function breakingBackend(backend: Backend, afterTokens: number, code: InferenceErrorCode = 'internal'): Backend {
  return alteredBackend(backend, async function* (events) {
    let left = afterTokens;
    for await (const event of events) {
      if (event.type === 'piece' && left-- === 0) throw new InferenceError(code, BREAKING_MESSAGE);
      yield event;
    }
  });
}
