/** WebLLM's record of a model: found for a catalog entry, and what it says about the model. @module */
import type { ModelRecord } from '@mlc-ai/web-llm';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { LoadOptions } from '../../core/models/backend.js';
import { filesFolderOf } from '../../store/sources/hub.js';

/** The values of WebLLM's `ModelType`; absent means a language model. */
const LANGUAGE_MODEL = 0;
const VISION_LANGUAGE_MODEL = 2;

/** A language model, with or without image input; not an embedding model. */
export function isChatModel(record: ModelRecord): boolean {
  return typeOf(record) === LANGUAGE_MODEL || takesImages(record);
}

/** A vision model. */
export function takesImages(record: ModelRecord): boolean {
  return typeOf(record) === VISION_LANGUAGE_MODEL;
}

function typeOf({ model_type: type }: ModelRecord): number {
  return type ?? LANGUAGE_MODEL;
}

/** Precision of the weights, e.g. `q4f16_1`, read from the model's name. */
export function quantizationOf(name: string): string | undefined {
  return /q\d(?:bf|f|fp)\d+(?:_\d)?/.exec(name)?.[0];
}

/**
 * WebGPU features that a model needs. WebLLM's list lacks `shader-f16` for most of its models, and WebLLM checks only
 * after the download.
 * @param quantization from the model's config; default: from its name
 */
export function requiredFeatures(record: ModelRecord, quantization = quantizationOf(record.model_id)): string[] {
  const halfPrecision = /^q\dfp?16/.test(quantization ?? '');
  return [...new Set([...(record.required_features ?? []), ...(halfPrecision ? ['shader-f16'] : [])])];
}

interface FoundModel {
  record: ModelRecord;
  /** Folder of weights, tokenizer and configs; absolute, ends with `/`. */
  folderURL: string;
}

/**
 * The record that WebLLM loads for a catalog entry. With `modelLibrary` the entry is its own record, and `source` is the
 * folder of its weights (URL or hub id). Otherwise `source` or `id` is looked up in WebLLM's list.
 * @param prebuilt WebLLM's list
 * @throws InferenceError `model_not_found` or `invalid_request`
 */
export function findModelRecord(
  entry: ModelEntry,
  prebuilt: readonly ModelRecord[],
  { pageURL, hub }: Pick<LoadOptions, 'pageURL' | 'hub'>,
): FoundModel {
  if (entry.modelLibrary !== undefined) {
    return customRecord(entry, entry.modelLibrary, filesFolderOf(entry, pageURL, hub), pageURL);
  }
  const name = entry.source ?? entry.id;
  const known = prebuilt.find((record) => record.model_id === name);
  if (!known) {
    throw new InferenceError(
      'model_not_found',
      `\`${name}\` is not in WebLLM's list.${nearestRecords(name, prebuilt)} \`listWebLlmModels()\` has all of its names; another model needs \`source\` and \`modelLibrary\`.`,
      { param: 'model' },
    );
  }
  const source = new URL(known.model).pathname.slice(1).replace(/\/resolve\/.*/, '');
  const folderURL = filesFolderOf({ ...entry, source }, pageURL, hub);
  const overrides = { ...known.overrides, ...contextOverride(entry) };
  return { record: { ...known, model: folderURL, overrides }, folderURL };
}

/** Records that an error names. */
const MAX_NEAREST = 3;

/** A sentence with models of the list that a name may mean: those that share the most of its words. */
function nearestRecords(name: string, prebuilt: readonly ModelRecord[]): string {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+|[\d.]+b?/g) ?? [];
  const wanted = new Set(wordsOf(name));
  const shared = prebuilt.map(
    ({ model_id: id }) => [wordsOf(id).filter((word) => wanted.has(word)).length, id] as const,
  );
  const most = Math.max(...shared.map(([count]) => count));
  if (most <= 0) return '';
  const nearest = shared.flatMap(([count, id]) => (count === most ? [`\`${id}\``] : []));
  return ` Did you mean ${nearest.slice(0, MAX_NEAREST).join(' or ')}?`;
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

/** The context length decides the size of the KV cache, so a smaller one is passed on to the engine. */
function contextOverride(entry: ModelEntry): { context_window_size?: number } {
  return entry.contextLength === undefined ? {} : { context_window_size: entry.contextLength };
}

/**
 * WebLLM appends `resolve/main/` to every folder whose URL has no `/resolve/`. It checks before it normalizes the URL, so
 * `/resolve/..` keeps a plain folder as it is.
 */
function withoutHubSuffix(folderURL: string): string {
  if (/.+\/resolve\/.+\//.test(folderURL)) return folderURL;
  const { origin, pathname } = new URL(folderURL);
  return `${origin}/resolve/..${pathname}`;
}
