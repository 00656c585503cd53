/** What an app says about a model it wants to serve. Public. @module */
import * as v from 'valibot';
import { REASONING_FORMATS, type ReasoningFormat, TOOL_FORMATS, type ToolFormat } from './answer-formats.js';
import { filesOf } from './entry-files.js';
import { count, fields, oneOf, optional, type Same, text } from './option-schema.js';
import { type Script, SCRIPT } from './script.js';

/** Shown by `GET /v1/models?verbose=true` as `vendor_metadata`. */
export interface VendorMetadata {
  /** Data residency; `on-device` for local models. */
  region?: string;
  /** Requests leave the device. */
  is_external?: boolean;
  /** Name of the model's architecture, e.g. `llama`. */
  architecture?: string;
  /** Who made the model. */
  provider?: string;
  /** What the model can do, e.g. `chat`, `tools`, `json`, `reasoning`, `vision`, `embeddings`, `transcription`. */
  capabilities?: string[];
  /** SPDX id or name of the weights' licence. */
  license?: string;
  /** In the words of the catalog, e.g. `available`. */
  status?: string;
  /** Page of the model on its hub. */
  hf_link?: string;
  /** What the model is, in a sentence or two. */
  overview?: string;
  /** @default the task */
  category?: string;
}

/** Shown as it is by `GET /v1/models`, in whatever unit the app means; nothing is billed. */
export interface Pricing {
  /** Price of prompt tokens. */
  prompt: number;
  /** Price of generated tokens. */
  completion: number;
  /** Price of an hour of sound. */
  duration_per_hour: number;
}

/** Precisions that transformers.js knows. */
export type DtypeName =
  | 'auto'
  | 'fp32'
  | 'fp16'
  | 'q8'
  | 'int8'
  | 'uint8'
  | 'q4'
  | 'q4f16'
  | 'bnb4'
  | 'q2'
  | 'q2f16'
  | 'q1'
  | 'q1f16'
  // A text that an app has read from elsewhere; it is checked at the start.
  | (string & {});

/** A precision for all parts of a model, or by part, e.g. `embed_tokens`, `vision_encoder`, `decoder_model_merged`. */
export type Dtype = DtypeName | Record<string, DtypeName>;

/** A model of the catalog, whatever its backend. Apps write {@link TypedModelEntry}, whose fields belong together. */
export interface ModelEntry {
  /** The name that requests use. */
  id: string;
  /** What the model does; requests for another task are refused with 400. */
  task: 'chat' | 'embeddings' | 'speech';
  /** An `upstream` model runs behind a remote `/v1`: its requests leave the device, and it is listed as external. */
  backend: 'transformers' | 'web-llm' | 'upstream' | 'scripted';
  /**
   * Folder URL (absolute, or relative to the page) or hub id (`owner/name`). Backend `upstream`: the base URL of the
   * remote service, e.g. `https://api.openai.com/v1`, which no request of this page may be answered below.
   * @default the id; required for `upstream`
   */
  source?: string;
  /**
   * Backend `upstream` only: the model's name there.
   * @default the id
   */
  upstreamModel?: string;
  /**
   * Backend `upstream` only: headers of its requests, e.g. `{ authorization: 'Bearer …' }`. Whoever can run code in the
   * page can read them. The keys of this page's clients are never sent.
   */
  headers?: Record<string, string>;
  /**
   * Branch, tag or commit of a hub model. With a commit the files can never change.
   * @default 'main'
   */
  revision?: string;
  /**
   * What the files must be: SHA-256 by file name (64 hexadecimal digits, or `sha256-` and base64), or the one hash of the
   * manifest in a folder that `inpage pack` made. A file with another content is never used.
   */
  integrity?: string | Record<string, string>;
  /** @default 'auto': WebGPU where an adapter exists and the model profits, else WASM. */
  device?: 'auto' | 'webgpu' | 'wasm';
  /**
   * Backend `transformers` only: the weights' precision, e.g. `q8`, `q4`, `q4f16`; one for all devices, or by device.
   * `auto` takes for chat models what is fast on the device and in the repository: 8 bits on WASM, 4 on WebGPU; for
   * others, and where neither is there, transformers.js's default. 4 bits on WASM are slow, and `status()` warns.
   * A model that sees comes in parts, which may differ: `{ embed_tokens: 'fp16', decoder_model_merged: 'q4' }`; what is
   * not named there is `auto`.
   * @default 'auto'
   */
  dtype?: Dtype | { wasm?: Dtype; webgpu?: Dtype };
  /** Overrides the tool-call syntax found in the chat template. */
  toolFormat?: ToolFormat;
  /** Overrides the reasoning syntax found in the chat template. */
  reasoningFormat?: ReasoningFormat;
  /** web-llm: URL of the compiled model library; absent: the id (or source) is one of WebLLM's own list. */
  modelLibrary?: string;
  /** `owned_by` of the model object. @default 'inpage' */
  ownedBy?: string;
  /** Context window in tokens; absent: the model's own. */
  contextLength?: number;
  /** Largest completion in tokens; absent: the context window. */
  maxCompletionTokens?: number;
  /** `vendor_metadata` of the model object, over what the library knows by itself. */
  metadata?: VendorMetadata;
  /** `pricing` of the model object. @default zeros */
  pricing?: Pricing;
  /** Rehearses 422 `model_not_in_plan`. */
  access?: 'not-in-plan';
  /** Rehearses 410. */
  status?: 'removed';
  /** Other names that requests may use. */
  aliases?: string[];
  /** With `device: 'auto'`: the id of the entry that serves instead when this one cannot run here. */
  fallback?: string;
  /** Backend `scripted` only. */
  script?: Script;
}

/** Fields of models that run on the device. */
type OnDevice = 'revision' | 'integrity' | 'device' | 'toolFormat' | 'reasoningFormat' | 'fallback';

/** Fields of some backends only. */
type OfBackend = OnDevice | 'task' | 'source' | 'dtype' | 'modelLibrary' | 'upstreamModel' | 'headers' | 'script';

/** What every entry can say. */
export type CommonEntry = Omit<ModelEntry, 'backend' | OfBackend>;

/** A model of transformers.js. */
export interface TransformersEntry extends CommonEntry, Pick<ModelEntry, OnDevice | 'task' | 'source' | 'dtype'> {
  /** Transformers.js, on ONNX Runtime. */
  backend: 'transformers';
}

/** A model of WebLLM. */
export interface WebLlmEntry extends CommonEntry, Pick<ModelEntry, OnDevice | 'source' | 'modelLibrary'> {
  /** WebLLM, on WebGPU. */
  backend: 'web-llm';
  /** It runs no others. */
  task: 'chat';
}

/** A model behind a remote `/v1`: its requests leave the device, and it is listed as external. */
export interface UpstreamEntry extends CommonEntry, Pick<ModelEntry, 'task' | 'upstreamModel' | 'headers'> {
  /** A service over the network. */
  backend: 'upstream';
  /** Base URL of the remote service, e.g. `https://api.openai.com/v1`. No request of this page may be answered below it. */
  source: string;
}

/** A model that says what its script says, for tests and demos. */
export interface ScriptedEntry extends CommonEntry, Pick<ModelEntry, OnDevice | 'source'> {
  /** No engine. */
  backend: 'scripted';
  /** What its replies are: answers, or what was heard. */
  task: 'chat' | 'speech';
  /** What it says. */
  script: Script;
}

/** A scripted model of embeddings, which follow from the text: its script can only make it slow or fail. */
export interface ScriptedEmbeddingsEntry extends CommonEntry, Pick<ModelEntry, OnDevice | 'source' | 'script'> {
  /** No engine. */
  backend: 'scripted';
  /** Vectors of the text. */
  task: 'embeddings';
}

/** A model of the catalog: the fields that its backend has. */
export type TypedModelEntry = TransformersEntry | WebLlmEntry | UpstreamEntry | ScriptedEntry | ScriptedEmbeddingsEntry;

/** One shape for every backend, from the first byte to ready. */
export interface LoadProgress {
  /** Id of the entry. */
  model: string;
  /** Name of the file within the model's folder; absent: the report is about the whole model. */
  file?: string;
  /** Bytes so far, of `file` when given, else of the whole model. */
  loadedBytes: number;
  /** 0 while unknown. */
  totalBytes: number;
  /** `download` (network or store), `initialize` (sessions, shaders), `ready`. */
  stage: 'download' | 'initialize' | 'ready';
  /** Of the model's files together, over the last seconds. Only while bytes come from the network. */
  bytesPerSecond?: number;
  /** Until all of the model's files that are being fetched are there, at that speed. */
  remainingSeconds?: number;
  /** Why nothing comes in: no network, a pause before the next attempt, or another tab that fetches the same file. */
  waiting?: 'network' | 'retry' | 'other-tab';
}

/** @internal */
export const TASKS = ['chat', 'embeddings', 'speech'] as const;
/** @internal */
export const DEVICES = ['auto', 'wasm', 'webgpu'] as const;
const BACKENDS = ['transformers', 'web-llm', 'upstream', 'scripted'] as const;
/** What transformers.js knows. */
const DTYPES = 'auto fp32 fp16 q8 int8 uint8 q4 q4f16 bnb4 q2 q2f16 q1 q1f16'.split(' ');
/** Parts of models that see. */
const PARTS = ['embed_tokens', 'vision_encoder', 'audio_encoder', 'decoder_model_merged'];

const someText = text('a text');
const texts = v.array(someText, 'an array of texts');
const textByName = v.record(v.string(), someText, 'an object of texts');
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const metadata = fields(
  {
    region: optional(someText),
    is_external: optional(v.boolean('true or false')),
    architecture: optional(someText),
    provider: optional(someText),
    capabilities: optional(texts),
    license: optional(someText),
    status: optional(someText),
    hf_link: optional(someText),
    overview: optional(someText),
    category: optional(someText),
  },
  'a field of `metadata`',
);

const price = v.number('a number');
const pricing = fields({ prompt: price, completion: price, duration_per_hour: price }, 'a field of `pricing`');

const dtype = v.custom<Dtype | { wasm?: Dtype; webgpu?: Dtype }>(
  (value) => isDtype(value, ['wasm', 'webgpu', ...PARTS]),
  `one of ${DTYPES.join(', ')}, or an object with these for \`wasm\` and \`webgpu\`, or for parts of the model`,
);

function isDtype(value: unknown, names: readonly string[]): boolean {
  if (!isObject(value)) return DTYPES.includes(value as string);
  return Object.entries(value).every(([name, inner]) => names.includes(name) && isDtype(inner, PARTS));
}

/** @internal The fields of an entry, for those who take some of them. */
export const ENTRY_FIELDS = {
  id: text('a text that is not empty', (value) => value !== ''),
  task: oneOf(TASKS),
  backend: oneOf(BACKENDS),
  source: optional(someText),
  upstreamModel: optional(someText),
  headers: optional(textByName),
  revision: optional(someText),
  integrity: optional(v.union([v.string(), textByName], 'a hash, or an object of hashes by file name')),
  device: optional(oneOf(DEVICES)),
  dtype: optional(dtype),
  toolFormat: optional(oneOf(TOOL_FORMATS)),
  reasoningFormat: optional(oneOf(REASONING_FORMATS)),
  modelLibrary: optional(someText),
  ownedBy: optional(someText),
  contextLength: optional(count),
  maxCompletionTokens: optional(count),
  metadata: optional(metadata),
  pricing: optional(pricing),
  access: optional(oneOf(['not-in-plan'])),
  status: optional(oneOf(['removed'])),
  aliases: optional(texts),
  fallback: optional(someText),
  script: optional(SCRIPT),
};

const entry = fields(ENTRY_FIELDS, 'a field of a model entry');
true satisfies Same<v.InferInput<typeof entry>, ModelEntry>;

const checkedEntry: v.GenericSchema<ModelEntry> = v.pipe(
  entry,
  v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
    if (!typed || hasFiles(value)) return;
    const message =
      value.backend === 'upstream'
        ? 'the base URL of the remote service, e.g. `https://api.openai.com/v1`'
        : 'the URL of a folder, or a hub id';
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input: value, key: 'source', value: value.source }],
    });
  }),
);

/** @internal What an entry must be. That its fields belong together is left to the compiler: entries come from JSON too. */
export const MODEL_ENTRY = checkedEntry as v.GenericSchema<TypedModelEntry, ModelEntry>;

/** Any page: what can be resolved against one can be against all. */
const SOME_PAGE = 'https://app.invalid/';

function hasFiles(value: ModelEntry): boolean {
  try {
    filesOf(value, SOME_PAGE);
    return true;
  } catch {
    return false;
  }
}
