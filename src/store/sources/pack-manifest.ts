/** The list of files in a folder that `inpage pack` made, with their hashes. @module */
import { type BlockName, blockFileName, isBlockFileName } from '../prompts/block-name.js';
import { type ExpectedFile, partFileOf } from '../storage/byte-storage.js';

/** Name of the list in its folder. */
export const PACK_MANIFEST = 'inpage-model.json';

/** Folder of the blocks of cached prompts in a pack. */
export const PACKED_PROMPTS = 'prompts/';

/** Name of a block's file in a pack. */
export function packedPromptName(block: BlockName): string {
  return PACKED_PROMPTS + blockFileName(block);
}

/** Whether a file of a pack is a block of a cached prompt. */
export function isPackedPrompt(name: string): boolean {
  return name.startsWith(PACKED_PROMPTS) && isBlockFileName(name.slice(PACKED_PROMPTS.length));
}

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

/** @throws TypeError or SyntaxError when the text is not a manifest, or names a file outside its folder */
export function parseManifest(text: string): PackManifest {
  const manifest = JSON.parse(text) as PackManifest | null;
  if (manifest?.version !== 1 || typeof manifest.files !== 'object' || manifest.files === null)
    throw new TypeError('The manifest has an unknown version.');
  for (const [name, file] of Object.entries(manifest.files) as [string, unknown][]) {
    if (!isInside(name)) throw new TypeError('The manifest names a file outside its folder.');
    if (!isPackedFile(file)) throw new TypeError('The manifest lists a file whose parts do not fit its size.');
  }
  return manifest;
}

/** A relative path that leads nowhere else, however a server or a file system reads it. */
function isInside(name: string): boolean {
  const parts = name.split('/');
  return !/[\\:%?#\0]/.test(name) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

function isPackedFile(file: unknown): file is PackedFile {
  if (typeof file !== 'object' || file === null) return false;
  const { bytes, partBytes, parts, sha256 } = file as Partial<PackedFile>;
  const isSize = (size: number | undefined): boolean => Number.isSafeInteger(size) && size! >= 0;
  if (!isSize(bytes) || !isSize(partBytes) || partBytes === 0 || typeof sha256 !== 'string') return false;
  const isListed = Array.isArray(parts) && parts.every((part) => typeof part === 'string');
  return isListed && parts.length === Math.ceil(bytes! / partBytes!);
}

/** What a manifest states, by file. @throws as {@link parseManifest} */
export function readManifest(text: string): Map<string, ExpectedFile> {
  return new Map(Object.entries(parseManifest(text).files));
}

/** The files that a file of a pack consists of, with their sizes. */
export function filesOfPacked(name: string, { bytes, partBytes, parts, split }: PackedFile): Map<string, number> {
  if (!split) return new Map([[name, bytes]]);
  return new Map(parts.map((_, part) => [partFileOf(name, part), Math.min(partBytes, bytes - part * partBytes)]));
}
