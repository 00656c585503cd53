/** What models can do. @module */
import type { ModelEntry } from './model-entry.js';

/** Every `task` of an entry. */
export const TASKS: readonly ModelEntry['task'][] = ['chat', 'embeddings', 'speech'];
