/** The list of files in a folder that `inpage pack` made, with their hashes. @module */
import { type ExpectedFile, partFileOf } from './byte-storage.js';

/** Name of the list in its folder. */
export const PACK_MANIFEST = 'inpage-model.json';

/** A file of a pack. */
export interface PackedFile {
  bytes: number;
  /** 64 hexadecimal digits. */
  sha256: string;
  /** Bytes of a part. */
  partBytes: number;
  /** SHA-256 of each part. */
  parts: string[];
  /** Each part is a file of its own, named `<file>.0` and so on. */
  split?: true;
}

export interface PackManifest {
  version: 1;
  files: Record<string, PackedFile>;
}

/** @throws TypeError when the text is no manifest */
export function parseManifest(text: string): PackManifest {
  const manifest = JSON.parse(text) as PackManifest;
  if (manifest.version !== 1 || typeof manifest.files !== 'object') throw new TypeError('No manifest of this version.');
  return manifest;
}

/** What a manifest states, by file. @throws TypeError when it is none */
export function readManifest(text: string): Map<string, ExpectedFile> {
  return new Map(Object.entries(parseManifest(text).files));
}

/** The files that a file of a pack consists of, with their sizes. */
export function filesOfPacked(name: string, { bytes, partBytes, parts, split }: PackedFile): Map<string, number> {
  if (!split) return new Map([[name, bytes]]);
  return new Map(parts.map((_, part) => [partFileOf(name, part), Math.min(partBytes, bytes - part * partBytes)]));
}
