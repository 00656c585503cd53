/** The list of files in a folder that `inpage pack` made, with their hashes. @module */
import type { ExpectedFile } from './wanted-file.js';

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

/** What a manifest states, by file. @throws TypeError when it is none */
export function readManifest(text: string): Map<string, ExpectedFile> {
  const { version, files } = JSON.parse(text) as PackManifest;
  if (version !== 1 || typeof files !== 'object') throw new TypeError('No manifest of this version.');
  return new Map(Object.entries(files));
}
