/** How responses are stored. @module */
import { STORED_RESPONSES_BYTES } from '../../core/models/stored-model.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';

/** See the module. */
export interface StoragePolicy {
  /** `memory`: gone with the engine. `device`: in IndexedDB, and in memory where there is none. */
  where: 'memory' | 'device';
  maxBytes: number;
}

/** What the option `storeResponses` asks for; undefined: nothing is stored. */
export function chooseStoragePolicy(
  option: false | 'memory' | number | undefined,
  compatibility: CompatibilityName,
): StoragePolicy | undefined {
  if (option === false || (option === undefined && compatibility !== 'hosted')) return undefined;
  if (option === 'memory') return { where: 'memory', maxBytes: STORED_RESPONSES_BYTES };
  return { where: 'device', maxBytes: option ?? STORED_RESPONSES_BYTES };
}
