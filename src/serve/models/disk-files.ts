/** Reads and writes files of a disk. @module */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
// Threads of models have no global one.
import process from 'node:process';

/** The bytes of a file, in memory of their own. */
export function readWhole(path: string): Uint8Array<ArrayBuffer> {
  return readRange(path, 0, statSync(path).size);
}

/** Bytes of a file; fewer where it ends. */
export function readRange(path: string, position: number, length: number): Uint8Array<ArrayBuffer> {
  const file = openSync(path, 'r');
  try {
    return readAt(file, position, length);
  } finally {
    closeSync(file);
  }
}

/** Bytes of an open file; fewer where it ends. */
export function readAt(file: number, position: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, position + read);
    if (count === 0) return bytes.slice(0, read);
    read += count;
  }
  return bytes;
}

/** Reads a file at any place, until it is another. */
export function openUnchanged(path: string): (from: number, to: number) => Promise<Uint8Array<ArrayBuffer>> {
  const { mtimeMs, ino, size } = statSync(path);
  return async (from, to) => {
    const now = statSync(path);
    if (now.mtimeMs !== mtimeMs || now.ino !== ino || now.size !== size)
      throw new Error(`The file ${path} was changed while it was used.`);
    return readRange(path, from, to - from);
  };
}

/** What a file of JSON holds; undefined: there is none, or it is broken. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** As a whole or not at all. */
export function writeWhole(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}

/** A folder, and those that it is in. Node's own way does not end below `/proc`, where none can be made. */
export function makeFolder(path: string): void {
  try {
    makeOneFolder(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw thrown;
    makeFolder(dirname(path));
    makeOneFolder(path);
  }
}

/** Another process may make the same. */
function makeOneFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (thrown) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw thrown;
  }
}

/** Names in a folder; none where there is no such folder. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What was there stays. */
export function openToWrite(path: string): number {
  closeSync(openSync(path, 'a'));
  return openSync(path, 'r+');
}
