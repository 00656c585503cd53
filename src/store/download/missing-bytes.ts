/** How much of a model's files is not in storage yet. @module */
import type { ByteStorage, FileLocation } from '../storage/byte-storage.js';

/** Bytes that are missing of files. @param sizeOf bytes of a file, 0 when unknown, given those of a stored one */
export async function missingBytes(
  places: readonly FileLocation[],
  storage: ByteStorage,
  sizeOf: (file: string, kept: number | undefined) => Promise<number>,
): Promise<number> {
  const missing = places.map(async (place) => {
    const kept = await storage.find(place);
    if (kept && kept.metadata.state !== 'partial') return 0;
    return Math.max(0, (await sizeOf(place.file, kept?.metadata.size)) - (kept?.bytes ?? 0));
  });
  return (await Promise.all(missing)).reduce((sum, bytes) => sum + bytes, 0);
}
