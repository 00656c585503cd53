/** How responses are kept. @module */
import type { CompatibilityName } from '../../core/models/inference-options.js';

/** See the module. */
export interface Keeping {
  /** `memory`: gone with the engine. `device`: in IndexedDB, and in memory where there is none. */
  where: 'memory' | 'device';
  maxBytes: number;
}

/** Bytes that are kept where the app says nothing about it. */
const DEFAULT_BYTES = 64e6;

/** What the option `storeResponses` asks for; undefined: nothing is kept. */
export function keepingOf(
  option: false | 'memory' | number | undefined,
  compatibility: CompatibilityName,
): Keeping | undefined {
  if (option === false || (option === undefined && compatibility !== 'hosted')) return undefined;
  if (option === 'memory') return { where: 'memory', maxBytes: DEFAULT_BYTES };
  return { where: 'device', maxBytes: option ?? DEFAULT_BYTES };
}
