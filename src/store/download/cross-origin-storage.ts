/**
 * Files that the browser keeps for all sites, by their hash, after the proposal of the Web Incubator Community Group
 * (https://github.com/WICG/cross-origin-storage). Another site may have fetched the same model before.
 * @module
 */
import { settledWithin } from '../../core/platform/settled-within.js';
import {
  type ByteStorage,
  countParts,
  type FileMetadata,
  type OpenFile,
  type WantedFile,
} from '../storage/byte-storage.js';
import type { DownloadContext } from './connection.js';
import { downloadFile } from './file-download.js';

/** The part of the proposal that is used. */
export interface CrossOriginStorage {
  requestFileHandle(
    hash: { algorithm: 'SHA-256'; value: string },
    options?: { create: true; origins: '*' },
  ): Promise<FileSystemFileHandle>;
}

/** Milliseconds: browsers may ask the person in front of them, and who says nothing must not keep a model from loading. */
const ASK_TIMEOUT_MS = 30_000;

/** This browser's; undefined where there is none. */
export function availableCrossOriginStorage(): CrossOriginStorage | undefined {
  return (globalThis.navigator as { crossOriginStorage?: CrossOriginStorage } | undefined)?.crossOriginStorage;
}

/**
 * Looks a file up by its hash and takes it into our own store by the same checks as one from the network.
 * @returns undefined when it is not there, or not what it should be
 */
export async function takeFromOthers(
  shared: CrossOriginStorage,
  wanted: WantedFile,
  file: OpenFile,
  context: DownloadContext,
): Promise<FileMetadata | undefined> {
  const value = wanted.expected?.sha256;
  if (value === undefined) return undefined;
  try {
    const found = await settledWithin(shared.requestFileHandle({ algorithm: 'SHA-256', value }), ASK_TIMEOUT_MS);
    if (!found) return undefined;
    const blob = await found.getFile();
    const headers = { 'content-length': String(blob.size) };
    const environment = { ...context.environment, fetch: async () => new Response(blob, { headers }) };
    const whole = { ...wanted, expected: { ...wanted.expected, split: false } };
    return await downloadFile(whole, file, { ...context, environment });
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
}

/** Offers a file that was compared with its hash to other sites. Failures are ignored. */
export async function offerToOthers(
  shared: CrossOriginStorage,
  metadata: FileMetadata,
  storage: ByteStorage,
): Promise<void> {
  const { sha256: value, verified, size = 0 } = metadata;
  if (value === undefined || !verified) return;
  try {
    const asked = shared.requestFileHandle({ algorithm: 'SHA-256', value }, { create: true, origins: '*' });
    const handle = await settledWithin(asked, ASK_TIMEOUT_MS);
    if (!handle) return;
    const writable = await handle.createWritable();
    const kept = { metadata, bytes: size, untouched: true };
    for (let part = 0; part < countParts(metadata); part++) await writable.write(await storage.readPart(kept, part));
    await writable.close();
  } catch {
    // The person said no, or the browser changed its mind.
  }
}
