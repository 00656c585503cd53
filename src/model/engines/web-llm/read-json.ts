/** The small files of a model. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelFiles } from '../../../store/model-files.js';

/**
 * A JSON file.
 * @returns undefined when the server says that it does not exist
 * @throws InferenceError `unavailable` for every other failure
 */
export async function readJson(files: ModelFiles, file: string): Promise<unknown> {
  const response = await files.read(file);
  if (!response) return undefined;
  try {
    return await response.json();
  } catch (error) {
    throw new InferenceError('unavailable', `The model's file \`${file}\` is not JSON.`, {}, { cause: error });
  }
}

/** A text file. @returns undefined when the server says that it does not exist. @throws InferenceError `unavailable` */
export async function readText(files: ModelFiles, file: string): Promise<string | undefined> {
  const response = await files.read(file);
  return response?.text();
}
