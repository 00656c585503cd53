/** How much memory the models of a server may keep prompts in, all of them together. @module */
import type { ModelEntry } from '../core/models/model-entry.js';
import { machineMemory } from './models/model-threads.js';

/** Of each gigabyte of the machine, and the bounds of all together and of one. */
const BYTES_PER_GB = 64 * 2 ** 20;
const [LEAST_BYTES, MOST_BYTES, MOST_PER_MODEL] = [128, 2_048, 512].map((megabytes) => megabytes * 2 ** 20) as [
  number,
  number,
  number,
];

/** As `/health` shows it. */
export interface PromptCacheBounds {
  max_bytes: number;
  max_bytes_per_model: number;
}

/** @param gigabytes of the machine, or of what its container may use */
export function promptCacheBounds(
  models: readonly Pick<ModelEntry, 'backend' | 'task'>[],
  gigabytes: number = machineMemory(),
): PromptCacheBounds {
  const all = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, gigabytes * BYTES_PER_GB));
  const count = models.filter(({ backend, task }) => task === 'chat' && ON_THREADS.includes(backend)).length;
  const each = Math.floor(Math.min(MOST_PER_MODEL, all / Math.max(1, count)));
  return { max_bytes: each * count, max_bytes_per_model: each };
}

const ON_THREADS: readonly ModelEntry['backend'][] = ['gguf', 'transformers'];
