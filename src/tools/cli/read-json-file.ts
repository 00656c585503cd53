/** Files that the command line is given, and what its errors with files mean. @module */
import { readFileSync } from 'node:fs';

/** @throws Error that names the file and says what is wrong with it */
export function readJsonFile(file: string): unknown {
  return parseJson(readTextFile(file), file);
}

/** @throws Error that names the file and says what is wrong with it */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Error(explainFileError(thrown, file), { cause: thrown });
  }
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
