/** What scripted models that write no text say of themselves. @module */
import type { ModelInfo } from '../../core/models/backend.js';

/** Default context length in tokens. */
export const SCRIPTED_CONTEXT = 4096;

/** Neither device nor formats: there are no weights, and no prompts to write. */
export function scriptedInfo(contextLength: number): ModelInfo {
  return {
    contextLength,
    device: 'none',
    threads: 1,
    toolFormat: 'none',
    reasoningFormat: 'none',
    images: false,
    concurrency: Infinity,
  };
}
