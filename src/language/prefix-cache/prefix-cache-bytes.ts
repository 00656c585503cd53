/** How much memory an engine gives to keys and values that prompts may continue. @module */
import { deviceMemory } from '../../core/platform/device-memory.js';

/** Room for each GB of memory, and its bounds, in bytes. */
const BYTES_PER_GB = 64 * 2 ** 20;
const [MIN_BYTES, MAX_BYTES] = [2, 8].map((gigabytes) => gigabytes * BYTES_PER_GB) as [number, number];

/** What whoever runs several models gives this one. */
let told: number | undefined;

/** Sets what this realm's {@link prefixCacheBytes} returns; undefined: it follows from the device's memory. */
export function tellPrefixCacheBytes(bytes: number | undefined): void {
  told = bytes;
}

/** Size of a prefix cache on this device, in bytes. @param gigabytes of memory */
export function prefixCacheBytes(gigabytes = deviceMemory()): number {
  if (told !== undefined) return told;
  return Math.min(MAX_BYTES, Math.max(MIN_BYTES, gigabytes * BYTES_PER_GB));
}
