/** How much of a model's files is not in storage yet. @module */
import type { ByteStorage, FileLocation } from '../storage/byte-storage.js';

export interface StorageToFill {
  storage: ByteStorage;
  /** Bytes of a file, 0 when unknown, given those that are stored of the whole. */
  sizeOf: (file: string, stored: number | undefined) => Promise<number>;
  /** Bytes that storage has room for. */
  free: number;
}

/** Bytes that are missing of files. */
export async function missingBytes(locations: readonly FileLocation[], options: StorageToFill): Promise<number> {
  const missing = await countMissing(locations, options, { isStoredSizeRight: true });
  // What a server said once of a file that never came in whole may have been wrong.
  return missing > options.free ? countMissing(locations, options, { isStoredSizeRight: false }) : missing;
}

async function countMissing(
  locations: readonly FileLocation[],
  { storage, sizeOf }: StorageToFill,
  { isStoredSizeRight }: { isStoredSizeRight: boolean },
): Promise<number> {
  const missing = locations.map(async (location) => {
    const stored = await storage.find(location);
    if (stored && stored.metadata.state !== 'partial') return 0;
    const size = await sizeOf(location.file, isStoredSizeRight ? stored?.metadata.size : undefined);
    // What lies before the last byte is counted already, there or not.
    return Math.max(0, size - (stored?.extent ?? stored?.bytes ?? 0));
  });
  return (await Promise.all(missing)).reduce((sum, bytes) => sum + bytes, 0);
}
