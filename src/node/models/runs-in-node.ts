/** Which models need no page. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

/** Whether a model runs in Node as well. */
export function runsInNode({ backend }: Pick<ModelEntry, 'backend'>): boolean {
  return backend === 'scripted' || backend === 'upstream';
}
