/** Decides what a load does about a file, from what is stored of it and what its source states. No I/O. @module */
import { type ExpectedFile, type FileMetadata, type FileStatus, statesContent } from '../storage/byte-storage.js';

/** Files without which no model runs; the others are there or not. */
const REQUIRED = /\.(onnx|onnx_data\w*|gguf|bin|wasm)$|^(mlc-chat-)?config\.json$/;

/** Milliseconds for which a hub is not asked again about an optional file that it does not have. */
const ABSENCE_LASTS = 5 * 60_000;

/** No model runs without this file. */
export function isRequired(file: string): boolean {
  return REQUIRED.test(file);
}

/** What is known of a file before anything is asked of a server. */
export interface FileFacts {
  stored: FileStatus | undefined;
  /** What the source states of it. */
  stated: ExpectedFile | undefined;
  /** The source lists all of its files: one that is not stated does not exist. */
  listsAll: boolean;
  /** The folder's files never change under their URLs, as a hub's do not. New ones may come. */
  isPinned: boolean;
  /** The files come from a person now, who may have picked another one. */
  isPicking: boolean;
  /** Unix milliseconds. */
  now: number;
}

/**
 * - `use`: what is stored is right, also when it says that there is no such file
 * - `missing`: the source has no such file
 * - `hash`: use it if its SHA-256 is the stated one
 * - `ask`: use it unless the server says that it has another by now
 * - `fetch`: download it, or what is missing of it
 */
export type FileDecision = 'use' | 'missing' | 'hash' | 'ask' | 'fetch';

/** What to do about a file that an engine asks for. */
export function decideFile({ stored, stated, listsAll, isPinned, isPicking, now }: FileFacts): FileDecision {
  if (listsAll && !stated) return 'missing';
  if (!stored || stored.metadata.state === 'partial') return 'fetch';
  if (stored.metadata.state === 'absent') {
    // A file that was missing once may be there by now, above all one that its source states.
    if (stated) return 'fetch';
    return isPinned && isRecentAbsence(stored.metadata, now) ? 'use' : 'ask';
  }
  if (!stored.untouched) return 'fetch';
  const comparison = compareStated(stored.metadata, stated);
  if (comparison !== 'same') return comparison === 'unknown' ? 'hash' : 'fetch';
  if (stored.metadata.picked && !isPicking) return 'use';
  // An empty file whose size no source states may be a server's error.
  const isDoubtful = stored.metadata.size === 0 && !stored.metadata.verified;
  return statesContent(stated) || (isPinned && !isDoubtful) ? 'use' : 'ask';
}

function isRecentAbsence({ file, absentSince = -Infinity }: FileMetadata, now: number): boolean {
  return !isRequired(file) && now - absentSince < ABSENCE_LASTS;
}

/** Is a complete file what its source states? `same` too when nothing is stated; `unknown`: its SHA-256 tells. */
export function compareStated(metadata: FileMetadata, stated: ExpectedFile | undefined): 'same' | 'other' | 'unknown' {
  if (!stated || !statesContent(stated)) return 'same';
  const verdict = (isSame: boolean): 'same' | 'other' => (isSame ? 'same' : 'other');
  if (stated.bytes !== undefined && stated.bytes !== metadata.size) return 'other';
  if (stated.parts && stated.partBytes === metadata.partBytes) {
    return verdict(stated.parts.every((hash, part) => hash === metadata.hashes[part]));
  }
  // Git's name was compared when the file was fetched.
  if (stated.sha256 === undefined) return verdict(metadata.verified);
  return metadata.sha256 === undefined ? 'unknown' : verdict(metadata.sha256 === stated.sha256);
}

/**
 * What to do once the file's lock is held. Another tab may have fetched it while this one waited.
 * @param before what could not be used, when it was looked up without the lock
 * @param now what is there now
 * @returns `compare`: another file is there, and is used if its hash is the stated one; `verify`: its bytes may have been
 * changed and must be read; `fetch`: download what is missing
 */
export function decideLocked(
  before: FileStatus | undefined,
  now: FileStatus | undefined,
): 'compare' | 'verify' | 'fetch' {
  const isOld = now !== undefined && before !== undefined && isSameRecord(now.metadata, before.metadata);
  if (isOld) return before.untouched ? 'fetch' : 'verify';
  return now?.untouched ? 'compare' : 'fetch';
}

/** Two records of the same bytes. */
function isSameRecord(a: FileMetadata, b: FileMetadata): boolean {
  return a.state === b.state && a.etag === b.etag && a.modified === b.modified && a.hashes.join() === b.hashes.join();
}
