/** Names of the blocks of prompts that are stored. @module */

/** A block by its hash and the hash of the block before it, both of hexadecimal digits. */
export interface BlockName {
  key: string;
  parent: string;
}

/** Hexadecimal digits of a hash that a file's name has room for. */
const DIGITS = 40;

/** A hash as it stands in the names of files. */
export const shortened = (hash: string): string => hash.slice(0, DIGITS);

/** Name of a block's file: which block it is, and which one it follows. */
export function blockFileName({ key, parent }: BlockName): string {
  return `${shortened(parent)}-${shortened(key)}`;
}

const BLOCK_FILE = /^([\da-f]{40})-([\da-f]{40})$/;

export function isBlockFileName(name: string): boolean {
  return BLOCK_FILE.test(name);
}

/** The shortened hashes in a block's file name; undefined for other names. */
export function parseBlockFileName(name: string): BlockName | undefined {
  const [, parent, key] = BLOCK_FILE.exec(name) ?? [];
  return parent !== undefined && key !== undefined ? { parent, key } : undefined;
}
