/** Files that the command line is given, and what its errors with files mean. @module */
import { readFileSync } from 'node:fs';

/** @throws Error that names the file and says what is wrong with it */
export function readJsonFile(file: string): unknown {
  return parseJson(readTextFile(file), file);
}

/** @throws Error that names the file and says what is wrong with it */
export function readTextFile(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    throw new Error(explainFileError(thrown, file), { cause: thrown });
  }
  return decodeText(bytes, file);
}

/**
 * UTF-8, or UTF-16 as editors and shells of Windows write it: with a byte order mark, or seen by the zeros of its first letters,
 * as a text in Latin letters has them. The mark is no part of the text.
 */
function decodeText(bytes: Buffer, file: string): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${file}: is not valid ${encoding.toUpperCase()}. Save it as UTF-8.`, { cause });
  }
}

function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
}

/** @param name of what the text is of, for the message */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`${name}: is not JSON. ${(thrown as Error).message}`, { cause: thrown });
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied.',
  EPERM: 'permission denied.',
  EROFS: 'is on a file system that cannot be written to.',
  EEXIST: 'is a file, where a folder is needed.',
  ENOTDIR: 'a part of this path is a file, where a folder is needed.',
  EISDIR: 'is a folder, where a file is needed.',
  ENOENT: 'there is no such file or folder.',
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota is used up.',
};

/**
 * A readable message with the path for errors of `node:fs`; other errors keep theirs.
 * @param file for errors that do not name it, such as that of reading a folder
 */
export function explainFileError(thrown: unknown, file?: string): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code = '', path = file, dest = path } = thrown as NodeJS.ErrnoException & { dest?: string };
  const reason = REASONS[code];
  return reason === undefined || dest === undefined ? thrown.message : `${dest}: ${reason}`;
}
