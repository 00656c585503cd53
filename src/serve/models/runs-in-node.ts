/** Which models need no page. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

type Kind = Pick<ModelEntry, 'backend' | 'device'>;

/** Whether a model needs no thread of its own either: it computes nothing. */
export function runsInProcess({ backend }: Kind): boolean {
  return backend === 'scripted' || backend === 'upstream';
}

/** What only a page has and this model needs, for messages; undefined: it runs in Node. */
export function needsPage({ backend, device }: Kind): string | undefined {
  if (backend === 'web-llm' || device === 'webgpu') return 'WebGPU';
  return backend === 'built-in' ? "the browser's built-in model" : undefined;
}
