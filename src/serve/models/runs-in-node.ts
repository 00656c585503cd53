/** Which models need no page. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

type Kind = Pick<ModelEntry, 'backend'>;

/** Whether a model needs no thread of its own either: it computes nothing. */
export function runsInProcess({ backend }: Kind): boolean {
  return backend === 'scripted' || backend === 'upstream';
}

/** Whether a model runs in Node: in the process, or in a thread. */
export function runsInNode(entry: Kind): boolean {
  return runsInProcess(entry) || entry.backend === 'gguf';
}
