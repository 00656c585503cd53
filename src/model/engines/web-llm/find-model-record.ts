/** From a catalog entry to the record that WebLLM loads. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import { filesFolderOf } from '../model-files.js';

export interface FoundModel {
  record: ModelRecord;
  /** Folder of weights, tokenizer and configs; absolute, ends with `/`. */
  folderURL: string;
}

/**
 * Entries with `modelLibrary` are their own record: `source` is the weights' folder (URL or hub id). Entries without are
 * looked up in WebLLM's list, by `source` or `id`.
 * @param prebuilt WebLLM's list
 * @throws InferenceError `model_not_found` or `invalid_request`
 */
export function findModelRecord(
  entry: ModelEntry,
  prebuilt: readonly ModelRecord[],
  { pageURL, hubURL }: Pick<LoadOptions, 'pageURL' | 'hubURL'>,
): FoundModel {
  if (entry.modelLibrary !== undefined) {
    return customRecord(entry, entry.modelLibrary, filesFolderOf(entry, pageURL, hubURL), pageURL);
  }
  const name = entry.source ?? entry.id;
  const known = prebuilt.find((record) => record.model_id === name);
  if (!known) {
    throw new InferenceError(
      'model_not_found',
      `\`${name}\` is not in WebLLM's list. Name a model of that list, or give \`source\` and \`modelLibrary\`.`,
      { param: 'model' },
    );
  }
  const source = new URL(known.model).pathname.slice(1).replace(/\/resolve\/.*/, '');
  const folderURL = filesFolderOf({ ...entry, source }, pageURL, hubURL);
  const overrides = { ...known.overrides, ...contextOverride(entry) };
  return { record: { ...known, model: folderURL, overrides }, folderURL };
}

function customRecord(entry: ModelEntry, library: string, folderURL: string, pageURL: string): FoundModel {
  if (entry.source === undefined) {
    throw new InferenceError('invalid_request', `The model \`${entry.id}\` has a model library but no \`source\`.`, {
      param: 'models',
    });
  }
  return {
    folderURL,
    record: {
      model: withoutHubSuffix(folderURL),
      model_id: entry.id,
      model_lib: new URL(library, pageURL).href,
      overrides: contextOverride(entry),
    },
  };
}

/** The window decides how much memory keys and values take, so a smaller one is passed on to the engine. */
function contextOverride(entry: ModelEntry): { context_window_size?: number } {
  return entry.contextLength === undefined ? {} : { context_window_size: entry.contextLength };
}

/**
 * WebLLM appends `resolve/main/` to every folder whose URL does not hold `/resolve/` already. It looks before it
 * normalises, so a detour that cancels itself out keeps a plain folder plain.
 */
function withoutHubSuffix(folderURL: string): string {
  if (/.+\/resolve\/.+\//.test(folderURL)) return folderURL;
  const { origin, pathname } = new URL(folderURL);
  return `${origin}/resolve/..${pathname}`;
}
