/** Which files `inpage pack` takes of a WebLLM model. Runs in Node, so it does not import WebLLM. @module */
import modelList from 'virtual:web-llm-models';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ModelFiles } from '../../store/model-files.js';
import type { PackChoice } from '../common/pack-choice.js';
import { readWeightsManifest, modelFileNames } from './model-folder.js';
import { findModelRecord } from './model-record.js';

/** Files of some folders: the list of weights of older ones, the chat template of newer ones. */
const OPTIONAL_FILES = ['ndarray-cache.json', 'chat_template.jinja'];

/** URLs of an entry's weights and library, and its context length in WebLLM's list. @throws InferenceError `model_not_found` or `invalid_request` */
export function findForPack(
  entry: ModelEntry,
  options: Pick<LoadOptions, 'pageURL' | 'hub'>,
): { folder: string; library: string; contextLength: number | undefined } {
  const { folderURL, record } = findModelRecord(entry, modelList, options);
  return { folder: folderURL, library: record.model_lib, contextLength: record.overrides?.context_window_size };
}

/** Whether WebLLM's list has a model of this id. */
export function isListed(id: string): boolean {
  return modelList.some((record) => record.model_id === id);
}

/** All files of the model: unlike ONNX models, it has only one precision. */
export async function chooseForPack(library: string, files: ModelFiles): Promise<PackChoice> {
  const { shards } = (await readWeightsManifest(files)) ?? { shards: [] };
  if (shards.length === 0) throw new InferenceError('unavailable', 'The model has no list of its weights.');
  return { files: [...modelFileNames(shards, library), ...OPTIONAL_FILES], entry: {} };
}
