/** Which files an app needs of a WebLLM model. Knows no engine, for it runs in Node. @module */
import modelList from 'virtual:web-llm-models';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import type { PackChoice } from '../pack-choice.js';
import { readWeightsManifest } from './chat-config.js';
import { findModelRecord } from './find-model-record.js';
import { wantedFiles } from './wanted-files.js';

/** Older folders call the list of weights so, newer ones have the chat template in a file of its own. */
const SOMETIMES = ['ndarray-cache.json', 'chat_template.jinja'];

/** Where the weights and the library of an entry are, and the window that WebLLM's list gives it. @throws InferenceError `model_not_found` or `invalid_request` */
export function findForPack(
  entry: ModelEntry,
  options: Pick<LoadOptions, 'pageURL' | 'hubURL'>,
): { folder: string; library: string; contextLength: number | undefined } {
  const { folderURL, record } = findModelRecord(entry, modelList, options);
  return { folder: folderURL, library: record.model_lib, contextLength: record.overrides?.context_window_size };
}

/** The id is one of WebLLM's list. */
export function isListed(id: string): boolean {
  return modelList.some((record) => record.model_id === id);
}

/** All files of the model; one model fits every GPU that can run it. */
export async function chooseForPack(library: string, files: ModelFiles): Promise<PackChoice> {
  const { shards } = (await readWeightsManifest(files)) ?? { shards: [] };
  if (shards.length === 0) throw new InferenceError('unavailable', 'The model has no list of its weights.');
  return { files: [...wantedFiles(shards, library), ...SOMETIMES], entry: {} };
}
