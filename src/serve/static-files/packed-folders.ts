/** Folders that `inpage pack` made, under names that change with their content. @module */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { filesOfPacked, PACK_MANIFEST, type PackManifest, parseManifest } from '../../store/sources/pack-manifest.js';

export interface PackedFolder {
  /** Absolute path. */
  folder: string;
  manifest: PackManifest;
  /** The URL path that entries name, e.g. `/models/smollm`. */
  source: string;
  /** The same with a hash: its files can be cached forever. */
  hashed: string;
  /** URL path, with the hash, to absolute path; the manifest too. */
  files: Map<string, string>;
}

/** Hexadecimal digits of a name's hash. */
const DIGITS = 8;

/**
 * @param folder absolute
 * @throws Error when it is not a pack, or files of it are missing or of another size
 */
export function readPackedFolder(folder: string): PackedFolder {
  const path = join(folder, PACK_MANIFEST);
  const text = readManifest(path, folder);
  const manifest = parseManifest(text);
  const source = `/models/${basename(folder)}`;
  const hashed = `${source}-${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`;
  const files = new Map([[`${hashed}/${PACK_MANIFEST}`, path]]);
  for (const [name, bytes] of listSizes(manifest)) {
    const file = join(folder, name);
    if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) throw damaged(file);
    files.set(`${hashed}/${name}`, file);
  }
  return { folder, manifest, source, hashed, files };
}

/** Reads all files and compares them with the manifest. @throws Error that names the one that is another */
export async function checkPackedFolder({ folder, manifest }: PackedFolder): Promise<void> {
  for (const [name, packed] of Object.entries(manifest.files)) {
    const whole = createHash('sha256');
    for (const part of filesOfPacked(name, packed).keys()) {
      await pipeline(createReadStream(join(folder, part)), whole, { end: false });
    }
    if (whole.digest('hex') !== packed.sha256) throw damaged(join(folder, name));
  }
}

function damaged(path: string): Error {
  return new Error(`inpage: ${path} is missing or damaged: run \`npx inpage pack\` again.`);
}

function readManifest(path: string, folder: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`inpage: ${folder} does not contain a packed model. Run \`npx inpage pack <model> ${folder}\`.`);
  }
}

function listSizes({ files }: PackManifest): [string, number][] {
  return Object.entries(files).flatMap(([name, file]) => [...filesOfPacked(name, file)]);
}
