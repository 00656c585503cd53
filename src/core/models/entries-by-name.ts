/** The names that requests may use. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { ModelEntry } from './model-entry.js';

/** Entries by id and alias. @throws InferenceError `invalid_request` on a name used twice */
export function entriesByName(entries: readonly ModelEntry[]): Map<string, ModelEntry> {
  const byName = new Map<string, ModelEntry>();
  for (const entry of entries) {
    for (const name of [entry.id, ...(entry.aliases ?? [])]) {
      if (byName.has(name)) {
        throw new InferenceError('invalid_request', `Two models of the catalog are called \`${name}\`.`, {
          param: 'models',
        });
      }
      byName.set(name, entry);
    }
  }
  return byName;
}
