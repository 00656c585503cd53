/** A file that a model needs, and what is known of it beforehand. @module */
import type { FilePlace } from './file-record.js';

/** What a source states of a file. */
export interface ExpectedFile {
  bytes?: number;
  /** 64 hexadecimal digits. */
  sha256?: string;
  /** Git's name for the content (see {@link gitBlobName}): what the hub states of small files. */
  gitBlob?: string;
  /** Bytes of a part: of those with a hash, and of those that are files of their own. */
  partBytes?: number;
  /** SHA-256 of each part. */
  parts?: readonly string[];
  /** Each part is a file of its own: `<url>.0`, `<url>.1`. */
  split?: boolean;
}

export interface WantedFile extends FilePlace {
  url: string;
  expected?: ExpectedFile | undefined;
}

/** The source states what the content must be. */
export function statesContent(expected: ExpectedFile | undefined): boolean {
  return expected?.sha256 !== undefined || expected?.gitBlob !== undefined || expected?.parts !== undefined;
}

/** URL of a part that is a file of its own. */
export function partFileOf(file: string, part: number): string {
  return `${file}.${part}`;
}

/** Texts are small, and servers compress them unless they are asked for ranges. */
export function isSmallName(file: string): boolean {
  return /\.(json|txt|jinja)$/.test(file);
}
