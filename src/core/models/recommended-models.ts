/**
 * Models of the Hugging Face Hub to begin with. Sizes are of the hub's files as its pages show them (10^6 bytes), so the list
 * holds only repositories whose figures are known, and classes that the table of classes lists as working.
 * @module
 */

/** A precision that a repository has. */
type ListedDtype = 'q8' | 'q4' | 'q4f16' | 'fp16' | 'fp32';

/** A model of the list. */
export interface ListedModel {
  /** Hub id: the `source` of an entry. */
  source: string;
  task: 'chat' | 'embeddings' | 'speech-to-text';
  /** `model_type` in its `config.json`. */
  modelType: string;
  /** What it is for, in a sentence. */
  overview: string;
  /** Megabytes (10^6 bytes) of weights to download, by precision. */
  megabytes: Readonly<Partial<Record<ListedDtype, number>>>;
  /** Tokens; of speech models those of an answer to half a minute. */
  contextLength: number;
  /** SPDX id or name. */
  license: string;
}

/** Which models to name. */
export interface RecommendationFilter {
  /** @default all */
  task?: ListedModel['task'];
  /** Where it shall run. @default 'wasm' */
  device?: 'wasm' | 'webgpu';
  /** Bytes of weights that may be downloaded. */
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
}

/** @internal By task, the smallest first. */
export const LISTED_MODELS: readonly ListedModel[] = [
  {
    source: 'HuggingFaceTB/SmolLM2-360M-Instruct',
    task: 'chat',
    modelType: 'llama',
    overview: 'Short answers and rewriting in English.',
    megabytes: { q4: 417, q4f16: 299 },
    contextLength: 8192,
    license: 'apache-2.0',
  },
  {
    source: 'onnx-community/Qwen2.5-0.5B-Instruct',
    task: 'chat',
    modelType: 'qwen2',
    overview: 'Conversation, JSON and tools in many languages; the smallest of its kind.',
    megabytes: { q8: 512, q4: 786, q4f16: 483 },
    contextLength: 32_768,
    license: 'apache-2.0',
  },
  {
    source: 'onnx-community/Llama-3.2-1B-Instruct',
    task: 'chat',
    modelType: 'llama',
    overview: 'Conversation, summaries and tools in eight languages.',
    megabytes: { q8: 1240, q4: 1660, q4f16: 1070 },
    contextLength: 131_072,
    license: 'llama3.2',
  },
  {
    source: 'onnx-community/Qwen2.5-1.5B-Instruct',
    task: 'chat',
    modelType: 'qwen2',
    overview: 'Conversation, JSON and tools in many languages.',
    megabytes: { q8: 1580, q4: 1790, q4f16: 1220 },
    contextLength: 32_768,
    license: 'apache-2.0',
  },
  {
    source: 'Xenova/all-MiniLM-L6-v2',
    task: 'embeddings',
    modelType: 'bert',
    overview: 'Search and comparison of English sentences.',
    megabytes: { q8: 23, fp16: 45, fp32: 90 },
    contextLength: 512,
    license: 'apache-2.0',
  },
  {
    source: 'Xenova/multilingual-e5-small',
    task: 'embeddings',
    modelType: 'bert',
    overview: 'Search in about a hundred languages; texts begin with `query: ` or `passage: `.',
    megabytes: { q8: 118, fp16: 235, fp32: 470 },
    contextLength: 512,
    license: 'mit',
  },
  {
    source: 'Xenova/whisper-tiny',
    task: 'speech-to-text',
    modelType: 'whisper',
    overview: 'Transcription in 99 languages, quick and rough.',
    megabytes: { q8: 41, fp32: 152 },
    contextLength: 448,
    license: 'apache-2.0',
  },
  {
    source: 'Xenova/whisper-base',
    task: 'speech-to-text',
    modelType: 'whisper',
    overview: 'Transcription in 99 languages, with fewer mistakes.',
    megabytes: { q8: 77, fp16: 146, fp32: 292 },
    contextLength: 448,
    license: 'apache-2.0',
  },
];

/** The precision that a device takes best: the rules of `dtype: 'auto'`. Undefined: the repository has none. */
function dtypeOn(device: 'wasm' | 'webgpu', { task, megabytes }: ListedModel): ListedDtype | undefined {
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
    return bytes > maxBytes ? [] : [{ ...model, device, dtype, bytes }];
  }).toSorted((a, b) => b.bytes - a.bytes);
}
