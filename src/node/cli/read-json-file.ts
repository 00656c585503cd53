/** JSON that the command line is given. @module */
import { readFileSync } from 'node:fs';
import { explainFileError } from './explain-file-error.js';

/** @throws Error that names the file and says what is wrong with it */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Error(explainFileError(thrown, file), { cause: thrown });
  }
  return parseJson(text, file);
}

/** @param name of what the text is of, for the message */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`${name}: is not JSON. ${(thrown as Error).message}`, { cause: thrown });
  }
}
