/** Is a kept file still what was written? @module */
import type { ByteStorage, OpenFile } from './byte-storage.js';
import { runningSha256, sha256 } from './digest.js';
import { countParts, type FileRecord, type KeptFile, lengthOfPart } from './file-record.js';

/** Reads a complete file and compares it with the hashes that it had when it was written. */
export async function isIntact(kept: KeptFile, storage: ByteStorage): Promise<boolean> {
  const { record, bytes } = kept;
  if (record.state !== 'complete' || bytes !== record.size) return false;
  for (let part = 0; part < countParts(record); part++) {
    if ((await sha256(await storage.readPart(kept, part))) !== record.hashes[part]) return false;
  }
  return true;
}

/** The bytes of a complete file are what was written. */
export async function isSameContent(bytes: Uint8Array<ArrayBuffer>, record: FileRecord): Promise<boolean> {
  for (let part = 0; part < countParts(record); part++) {
    const start = part * record.partBytes;
    if ((await sha256(bytes.subarray(start, start + record.partBytes))) !== record.hashes[part]) return false;
  }
  return true;
}

/** SHA-256 of a complete file, read from storage part by part. */
export async function wholeSha256(kept: KeptFile, storage: ByteStorage): Promise<string> {
  const digest = await runningSha256();
  for (let part = 0; part < countParts(kept.record); part++) digest.update(await storage.readPart(kept, part));
  return digest.digest();
}

/** Turns a damaged file into a broken download: only the parts that are wrong are missing then. */
export async function keepGoodParts(file: OpenFile, record: FileRecord): Promise<void> {
  await file.save({ ...record, state: 'partial' });
  for (let part = 0; part < Math.max(countParts(record), file.kept.length); part++) {
    const isWhole = part < countParts(record) && file.kept[part] === lengthOfPart(record, part);
    const isGood = isWhole && (await sha256(await file.read(part))) === record.hashes[part];
    if (!isGood) await file.drop(part);
  }
}
