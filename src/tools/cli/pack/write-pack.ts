/** The folder that an app serves: a model's files, in parts where a host wants that, and the list of their hashes. @module */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { toIntegrity } from '../../../store/storage/digest.js';
import { type FileMetadata, PART_BYTES, partFileOf } from '../../../store/storage/byte-storage.js';
import {
  filesOfPacked,
  PACK_MANIFEST,
  type PackedFile,
  type PackManifest,
  parseManifest,
} from '../../../store/sources/pack-manifest.js';

/** A file that was fetched. */
export interface FetchedFile {
  /** Where its bytes are; they are moved from there. */
  path: string;
  metadata: FileMetadata;
  /** Its name in the pack, with `/`. */
  name: string;
}

/**
 * Moves files into a folder and writes its manifest, last of all. What an earlier pack has left in the folder goes.
 * @param partBytes larger files are split into files of so many bytes; undefined: none is
 * @returns SHA-256 of the manifest, as an entry's `integrity`
 * @throws InferenceError `unavailable` when a file is not what was received, or has a name that leads out of the folder
 */
export async function writePack(
  folder: string,
  fetched: readonly FetchedFile[],
  partBytes: number | undefined,
): Promise<string> {
  const outside = fetched.find(({ name }) => !isInside(name));
  if (outside) {
    throw new InferenceError('unavailable', `The model names a file \`${outside.name}\`, which cannot be packed.`);
  }
  const former = formerFiles(folder);
  const files: Record<string, PackedFile> = {};
  for (const file of fetched.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    files[file.name] = await writeFile(folder, file, partBytes);
  }
  const named = new Set(Object.entries(files).flatMap(([name, file]) => [...filesOfPacked(name, file).keys()]));
  for (const name of former) if (!named.has(name)) rmSync(join(folder, name), { force: true });
  const manifest: PackManifest = { version: 1, files };
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  writeFileSync(join(folder, PACK_MANIFEST), text);
  return toIntegrity(createHash('sha256').update(text).digest('hex'));
}

/** A name that stays in its folder: what a hub answers, and what lies in the folder, may say anything. */
function isInside(name: string): boolean {
  const isPlain = name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain && !/[\\:\0]/.test(name) && name !== PACK_MANIFEST;
}

async function writeFile(
  folder: string,
  { path, metadata, name }: FetchedFile,
  partBytes: number | undefined,
): Promise<PackedFile> {
  const bytes = metadata.size ?? 0;
  const isSplit = partBytes !== undefined && bytes > partBytes;
  const chunk = isSplit ? partBytes : PART_BYTES;
  const [received, stated] = [new ChunkHashes(metadata.partBytes), new ChunkHashes(chunk)];
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    received.update(piece as Uint8Array);
    stated.update(piece as Uint8Array);
  }
  const sha256 = received.digest();
  stated.digest();
  // The disk was written before, maybe by an earlier run.
  if (received.parts.join() !== metadata.hashes.join()) {
    rmSync(path);
    throw new InferenceError('unavailable', `The file \`${name}\` was damaged on the disk: pack once more.`);
  }
  const target = join(folder, name);
  mkdirSync(dirname(target), { recursive: true });
  if (isSplit) await split(path, target, chunk, bytes);
  else renameSync(path, target);
  return { bytes, sha256, partBytes: chunk, parts: stated.parts, ...(isSplit && { split: true }) };
}

async function split(path: string, target: string, partBytes: number, bytes: number): Promise<void> {
  for (let part = 0; part * partBytes < bytes; part++) {
    const range = { start: part * partBytes, end: Math.min(bytes, (part + 1) * partBytes) - 1 };
    await pipeline(createReadStream(path, range), createWriteStream(partFileOf(target, part)));
  }
  rmSync(path);
}

function formerFiles(folder: string): string[] {
  try {
    const { files } = parseManifest(readFileSync(join(folder, PACK_MANIFEST), 'utf8'));
    return Object.entries(files).flatMap(([name, file]) => [...filesOfPacked(name, file).keys()].filter(isInside));
  } catch {
    return [];
  }
}

/** SHA-256 of a stream, of the whole and of its parts. */
class ChunkHashes {
  readonly #partBytes: number;
  readonly #whole = createHash('sha256');
  #part = createHash('sha256');
  #room: number;
  /** Of the parts that are whole. */
  readonly parts: string[] = [];

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
    this.#room = partBytes;
  }

  update(bytes: Uint8Array): void {
    this.#whole.update(bytes);
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + this.#room);
      this.#part.update(piece);
      this.#room -= piece.length;
      start += piece.length;
      if (this.#room === 0) this.#endPart();
    }
  }

  /** 64 hexadecimal digits; ends the last part too. */
  digest(): string {
    if (this.#room < this.#partBytes) this.#endPart();
    return this.#whole.digest('hex');
  }

  #endPart(): void {
    this.parts.push(this.#part.digest('hex'));
    this.#part = createHash('sha256');
    this.#room = this.#partBytes;
  }
}
