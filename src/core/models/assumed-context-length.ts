/** The context window of a model of which none is known. @module */
import type { ModelEntry } from './model-entry.js';

const HERE = 4096;
/** Prompts of a remote service cannot be counted here, so it refuses those that are too long itself. */
const REMOTE = 131_072;

/** Tokens that count as the context of a model that was never loaded, or that never says, and whose entry names none. */
export function assumedContextLength({ backend }: Pick<ModelEntry, 'backend'>): number {
  return backend === 'upstream' ? REMOTE : HERE;
}
