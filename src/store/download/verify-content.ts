/** Checks that storage holds what came in, and what its source states. @module */
import { gitBlobName, type RunningDigest, runningSha256, sha256 } from '../storage/digest.js';
import { wrongContent } from './file-errors.js';
import {
  type ByteStorage,
  countParts,
  type ExpectedFile,
  type FileLocation,
  type FileMetadata,
  type FileStatus,
  lengthOfPart,
  type OpenFile,
} from '../storage/byte-storage.js';

/** The hub names no larger files by git's rule. */
const MAX_BLOB_BYTES = 16 * 2 ** 20;

export class PartHashes {
  readonly #file: OpenFile;
  readonly #expected: ExpectedFile;
  /** By part. */
  readonly hashes: (string | null)[] = [];
  /** Parts that came in wrong once. */
  readonly #doubted = new Set<number>();
  #running: RunningDigest | undefined;
  /** The first part that the running digest has not seen. */
  #next = 0;
  #work: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  constructor(file: OpenFile, expected: ExpectedFile) {
    this.#file = file;
    this.#expected = expected;
  }

  /** A part is whole. A wrong one is dropped, for another to be fetched. */
  add(part: number): void {
    this.#work = this.#work
      .then(() => this.#add(part))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
  }

  /** All that was added is hashed. @throws InferenceError when a part came in wrong twice */
  async settled(): Promise<void> {
    await this.#work;
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Whether the file is what its source states, or nothing is stated.
   * @param metadata of a file whose parts are all hashed
   * @returns its SHA-256 too, if it was computed
   */
  async check(metadata: FileMetadata): Promise<{ right: boolean; sha256: string | undefined }> {
    const count = countParts(metadata);
    // Each part was compared when it was added.
    if (this.#expected.parts) return { right: this.#expected.parts.length === count, sha256: this.#expected.sha256 };
    const whole = this.#running ? this.#running.digest() : count === 1 ? this.hashes[0]! : undefined;
    const digest = count === 0 ? await sha256(new Uint8Array(0)) : whole;
    const { sha256: stated, gitBlob } = this.#expected;
    if (stated !== undefined && digest !== stated) return { right: false, sha256: digest };
    if (gitBlob !== undefined && (metadata.size ?? 0) <= MAX_BLOB_BYTES) {
      return { right: (await gitBlobName(await this.#readAll(metadata))) === gitBlob, sha256: digest };
    }
    return { right: true, sha256: digest };
  }

  async #add(part: number): Promise<void> {
    const bytes = await this.#file.read(part);
    const hash = await sha256(bytes);
    const stated = this.#expected.parts?.[part];
    if (stated !== undefined && stated !== hash) {
      if (this.#doubted.has(part)) throw wrongContent(this.#file.metadata!.file);
      this.#doubted.add(part);
      return this.#file.drop(part);
    }
    this.hashes[part] = hash;
    if (this.#needsWhole) await this.#follow(part, bytes);
  }

  /** With the hash of every part, and for a file of one part, the whole needs no digest of its own. */
  get #needsWhole(): boolean {
    const { sha256: stated, parts } = this.#expected;
    return stated !== undefined && parts === undefined && countParts(this.#file.metadata!) !== 1;
  }

  async #follow(part: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#running ??= await runningSha256();
    while (this.hashes[this.#next] !== undefined) {
      this.#running.update(this.#next === part ? bytes : await this.#file.read(this.#next));
      this.#next++;
    }
  }

  async #readAll(metadata: FileMetadata): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(metadata.size ?? 0);
    for (let part = 0; part < countParts(metadata); part++) {
      bytes.set(await this.#file.read(part), part * metadata.partBytes);
    }
    return bytes;
  }
}

/** Reads a complete file and compares it with the hashes that it had when it was written. */
export async function isIntact(stored: FileStatus, storage: ByteStorage): Promise<boolean> {
  const { metadata, bytes } = stored;
  if (metadata.state !== 'complete' || bytes !== metadata.size) return false;
  for (let part = 0; part < countParts(metadata); part++) {
    if ((await sha256(await storage.readPart(stored, part))) !== metadata.hashes[part]) return false;
  }
  return true;
}

/** SHA-256 of a complete file, read from storage part by part. */
export async function wholeSha256(stored: FileStatus, storage: ByteStorage): Promise<string> {
  const digest = await runningSha256();
  for (let part = 0; part < countParts(stored.metadata); part++) digest.update(await storage.readPart(stored, part));
  return digest.digest();
}

/** Turns a damaged file into a broken download: only the parts that are wrong are missing then. */
export async function dropDamagedParts(file: OpenFile, metadata: FileMetadata): Promise<void> {
  await file.save({ ...metadata, state: 'partial' });
  for (let part = 0; part < Math.max(countParts(metadata), file.partLengths.length); part++) {
    const isWhole = part < countParts(metadata) && file.partLengths[part] === lengthOfPart(metadata, part);
    const isGood = isWhole && (await sha256(await file.read(part))) === metadata.hashes[part];
    if (!isGood) await file.drop(part);
  }
}

/** One hash for the content of complete files, without those that do not exist; undefined when any was changed since. */
export async function hashContents(
  locations: readonly FileLocation[],
  storage: ByteStorage,
): Promise<string | undefined> {
  const hashes: string[] = [];
  for (const location of locations.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const stored = await storage.find(location);
    if (!stored || stored.metadata.state === 'absent') continue;
    if (!stored.untouched) return undefined;
    const { sha256: whole, hashes: parts } = stored.metadata;
    const isKnown = parts.length === countParts(stored.metadata) && !parts.includes(null);
    hashes.push(`${location.file} ${whole ?? (isKnown ? parts.join(' ') : await wholeSha256(stored, storage))}`);
  }
  return hashes.length === 0 ? undefined : sha256(new TextEncoder().encode(hashes.join('\n')));
}
