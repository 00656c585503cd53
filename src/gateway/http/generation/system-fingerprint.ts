/** What a caller watches to see that the backend's configuration changed. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';

/** Changes with every release that may change generated text. */
const GENERATION_VERSION = '0.1.0';

/** `fp_` and ten hexadecimal digits: the same for the same release, model, engine and precision. */
export function systemFingerprint(entry: ModelEntry): string {
  const configuration = [
    GENERATION_VERSION,
    entry.id,
    entry.backend,
    entry.source ?? '',
    entry.device ?? 'auto',
    typeof entry.dtype === 'object' ? JSON.stringify(entry.dtype) : (entry.dtype ?? ''),
  ];
  return `fp_${hash(configuration.join('\n')).toString(16).padStart(10, '0')}`;
}

/** FNV-1a over 40 bits: no secret depends on it. */
function hash(text: string): bigint {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value & 0xff_ffff_ffffn;
}
