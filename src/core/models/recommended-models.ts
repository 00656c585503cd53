/** Which of the listed models run on a device, with entries to paste. @module */
import { LISTED_MODELS, type ListedDtype, type ListedModel } from './listed-models.js';
import type { TypedModelEntry } from './model-entry.js';

/** Which models to name. */
export interface RecommendationFilter {
  /**
   * What they are for.
   * @default all
   * @example
   * recommendedModels({ task: 'chat' });
   */
  task?: ListedModel['task'];
  /**
   * Where it shall run.
   * @default 'wasm'
   * @example
   * recommendedModels({ device: 'webgpu' });
   */
  device?: 'wasm' | 'webgpu';
  /**
   * Bytes of weights that may be downloaded.
   * @example
   * recommendedModels({ maxBytes: 500e6 });
   */
  maxBytes?: number;
}

/** A model of the list on one device. */
export interface RecommendedModel extends ListedModel {
  /** The one that was asked for. */
  device: 'wasm' | 'webgpu';
  /** The precision for that device. */
  dtype: string;
  /** Bytes of weights in that precision. */
  bytes: number;
  /** For `models` of `startInference`, as it is. Its `id` is the last part of `source`. */
  entry: TypedModelEntry;
}

/** The precision that a device takes best: the rules of `dtype: 'auto'`. Undefined: the repository has none. */
function dtypeOn(
  device: 'wasm' | 'webgpu',
  { task, backend, modelType, megabytes }: ListedModel,
): ListedDtype | undefined {
  const only = (engine: 'wasm' | 'webgpu'): ListedDtype[] =>
    device === engine ? (Object.keys(megabytes) as ListedDtype[]) : [];
  // Encoders in GGUF files run on WASM alone.
  if (backend === 'gguf') return only(modelType === 'bert' ? 'wasm' : device)[0];
  if (backend === 'web-llm') return only('webgpu')[0];
  const wanted: ListedDtype[] = device === 'wasm' ? ['q8'] : task === 'chat' ? ['q4f16', 'q4'] : ['fp32'];
  return wanted.find((dtype) => megabytes[dtype] !== undefined);
}

/** @internal The models of the list that fit, the largest first. */
export function recommend({
  task,
  device = 'wasm',
  maxBytes = Infinity,
}: RecommendationFilter = {}): RecommendedModel[] {
  return LISTED_MODELS.flatMap((model) => {
    const dtype = dtypeOn(device, model);
    if (dtype === undefined || (task !== undefined && model.task !== task)) return [];
    const bytes = model.megabytes[dtype]! * 1e6;
    return bytes > maxBytes ? [] : [{ ...model, device, dtype, bytes, entry: entryOf(model, device, dtype) }];
  }).toSorted((a, b) => b.bytes - a.bytes);
}

function entryOf(
  { source, task, backend, file }: ListedModel,
  device: 'wasm' | 'webgpu',
  dtype: string,
): TypedModelEntry {
  const id = source.slice(source.lastIndexOf('/') + 1);
  const common = { id, task, backend, source };
  const own = backend === 'transformers' ? { device, dtype } : { ...(file !== undefined && { file }) };
  return { ...common, ...own } as TypedModelEntry;
}
