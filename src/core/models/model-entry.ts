/** What an app says about a model it wants to serve. Public. @module */
import * as v from 'valibot';
import { REASONING_FORMATS, type ReasoningFormat, TOOL_FORMATS, type ToolFormat } from './answer-formats.js';
import { isSha256 } from './sha256-text.js';
import { DTYPE, type Dtype } from './dtype.js';
import { INPUTS, type Pooling, POOLINGS } from './embedding-fields.js';
import { JUDGE_PROMPTS, type JudgePromptName } from './judge-prompts.js';
import { GGUF_FILE, type Lora, LORAS } from './lora.js';
import { METADATA, PRICING, type Pricing, type VendorMetadata } from './model-description.js';
import { count, oneOf, optional, text } from './option-schema.js';
import { type Script, SCRIPT } from './script.js';
import { recordOf } from '../schema/record-of.js';

/** A model of the catalog, whatever its backend. The type `ModelEntry` of `inpage` has for each backend the fields that it knows. */
export interface ModelEntry {
  /** The name that requests use. */
  id: string;
  /** What the model does; requests for another task are refused with 400. */
  task: 'chat' | 'embeddings' | 'rerank' | 'speech-to-text' | 'text-to-speech';
  /** `built-in`: the model that the browser has. `upstream`: a remote `/v1`; its requests leave the device, and it is listed as external. */
  backend: 'gguf' | 'transformers' | 'web-llm' | 'built-in' | 'upstream' | 'scripted';
  /**
   * Folder URL (absolute, or relative to the page) or hub id (`owner/name`). Backend `gguf`: also the URL of a `.gguf` file.
   * Backend `upstream`: the base URL of the
   * remote service, e.g. `https://api.openai.com/v1`. It must not be one that this page intercepts.
   * @default the id, and for the id of a bundled model its files; required for `upstream`
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
  /**
   * Backend `gguf`: `auto` takes WebGPU where there is a GPU (none that the processor simulates) that has room for the model and computes
   * what WASM computes, else WASM, and `status()` says why (`deviceReason`); `webgpu` is refused where it cannot run.
   * @default 'auto': WebGPU where an adapter exists and the model profits, else WASM.
   */
  device?: 'auto' | 'webgpu' | 'wasm';
  /**
   * Backend `gguf`: `auto`, or `fp32` to compute in 32-bit floats, which is slower and for comparisons.
   *
   * Backend `transformers`: the weights' precision, e.g. `q8`, `q4`, `q4f16`; one for all devices, or by device.
   * `auto` takes the best for the device of what the repository has: 8 bits on WASM; on WebGPU 4 bits for chat models, 32
   * for others. `status()` says which, and warns where it is a slow one (4 bits on WASM).
   * A model that sees comes in parts, which may differ: `{ embed_tokens: 'fp16', decoder_model_merged: 'q4' }`; what is
   * not named there is `auto`.
   * @default 'auto'
   */
  dtype?: Dtype | { wasm?: Dtype; webgpu?: Dtype };
  /**
   * Backend `gguf` only: the file in the folder or hub repository that `source` names, e.g. `*Q4_K_M.gguf`. `*` stands for any
   * characters but `/`.
   * @default of a hub repository the first that exists of `Q4_K_M`, `Q4_0`, `Q5_K_M`, `Q6_K`, `Q8_0`, `BF16`, `F16`, `F32`
   */
  file?: string;
  /**
   * Backend `gguf`, chat models only: `q8` keeps keys and values of a conversation in 8 bits, which takes half of the memory and runs on
   * WASM alone.
   * @default 16 bits; with `dtype: 'fp32'` 32
   */
  kvCache?: 'q8';
  /**
   * Backend `gguf`, chat models only: LoRA adapters in GGUF files, at most 8. One without `id` always applies. One with an `id`
   * makes a model of its own, `<entry id>:<id>`, which shares the weights with the others and answers beside them.
   */
  loras?: Lora[];
  /**
   * Backend `gguf`, chat models only: the chat template, a Jinja text, where the file has none or a wrong one.
   * @default the file's
   */
  chatTemplate?: string;
  /** Overrides the tool-call syntax found in the chat template. */
  toolFormat?: ToolFormat;
  /** Overrides the reasoning syntax found in the chat template. */
  reasoningFormat?: ReasoningFormat;
  /**
   * Models of embeddings of `transformers` only: how the vectors of a text's tokens become one (`mean`, `cls`, `lasttoken`
   * and the others of sentence-transformers), where the model's files do not say it and `status()` warns.
   */
  pooling?: Pooling;
  /**
   * Models of embeddings of `transformers` only: numbers for inputs of the graph that no text gives, e.g. `{ task_id: 4 }`.
   */
  inputs?: Record<string, number>;
  /**
   * Models of speech of `transformers` only: names of voices, each the file `voices/<name>.bin` in the model's folder.
   * @default the best known ones of the model's class, where the folder has them
   */
  voices?: string[];
  /**
   * Models of speech of `transformers` that read phonemes (Kokoro, Kitten) only: URL of a module that exports
   * `phonemize(text, language)`, which gives the text in the International Phonetic Alphabet, as espeak does. Relative to the page.
   */
  phonemizer?: string;
  /**
   * Models of embeddings only: texts that stand before the inputs of a request with `input_type`, by name, e.g.
   * `{ query: 'query: ', document: 'passage: ' }`.
   * @default those of the model's files, where it has any
   */
  prompts?: Record<string, string>;
  /**
   * Language models of task `rerank` on `transformers` and `gguf` only: the prompt that the model was trained to judge documents with,
   * where neither its name nor its files tell it.
   */
  judgePrompt?: JudgePromptName;
  /** Models of embeddings only: cut texts that are too long, where a request says nothing of it. @default false */
  truncate?: boolean;
  /** web-llm: URL of the compiled model library; absent: the id (or source) is one of WebLLM's own list. */
  modelLibrary?: string;
  /** `owned_by` of the model object. @default 'inpage' */
  ownedBy?: string;
  /** Context window in tokens. The model's own is the limit: with a higher number it is used, with a `warning`. Default: the model's own. */
  contextLength?: number;
  /** Largest completion in tokens; absent: the context window. */
  maxCompletionTokens?: number;
  /** `vendor_metadata` of the model object, over what the library knows by itself. */
  metadata?: VendorMetadata;
  /** `pricing` of the model object. @default zeros */
  pricing?: Pricing;
  /** For tests: requests fail with 422 `model_not_in_plan`. */
  access?: 'not-in-plan';
  /** For tests: requests fail with 410 `model_removed`. */
  status?: 'removed';
  /**
   * Backend `built-in` only: languages of prompts and answers (BCP 47), e.g. `['en', 'es']`. Default: the browser's own; Chrome
   * then prints a warning in the console that no output language was specified.
   */
  languages?: string[];
  /** Other names that requests may use. */
  aliases?: string[];
  /**
   * Id of the entry that answers instead if this model cannot run here (with `device: 'auto'`), or while the browser has not
   * downloaded it yet. Backend `upstream` (chat and ranking): while the service cannot be reached, or says 502, 503 or 504.
   */
  fallback?: string;
  /** Backend `scripted` only. */
  script?: Script;
}

/** Fields of models that run on the device. */
type OnDevice = 'revision' | 'integrity' | 'device' | 'toolFormat' | 'reasoningFormat' | 'fallback' | 'truncate';

/** Fields of transformers.js's models. */
type OfTransformers = 'dtype' | 'pooling' | 'inputs' | 'voices' | 'phonemizer';

/** Fields of some backends only. */
type OfBackend =
  | OnDevice
  | OfTransformers
  | 'prompts'
  | 'judgePrompt'
  | 'task'
  | 'source'
  | 'modelLibrary'
  | 'upstreamModel'
  | 'headers'
  | 'file'
  | 'chatTemplate'
  | 'kvCache'
  | 'loras'
  | 'languages'
  | 'script';

/** What every entry can say. */
type CommonEntry = Omit<ModelEntry, 'backend' | OfBackend>;

/** A model in a GGUF file. */
export interface GgufEntry
  extends
    CommonEntry,
    Pick<
      ModelEntry,
      | Exclude<OnDevice, 'device'>
      | 'chatTemplate'
      | 'file'
      | 'judgePrompt'
      | 'kvCache'
      | 'loras'
      | 'pooling'
      | 'prompts'
      | 'source'
    > {
  /** Inpage's own engine, on WASM. */
  backend: 'gguf';
  /** What the model does. */
  task: 'chat' | 'embeddings' | 'rerank';
  /**
   * Where it runs.
   * @default 'auto': WebGPU where there is a GPU that fits and computes right, else WASM
   */
  device?: 'auto' | 'webgpu' | 'wasm';
  /**
   * The numbers that it computes with.
   * @default 'auto': each weight as the file has it
   */
  dtype?: 'auto' | 'fp32';
}

/** A model of transformers.js. */
export interface TransformersEntry
  extends CommonEntry, Pick<ModelEntry, OnDevice | OfTransformers | 'judgePrompt' | 'prompts' | 'task' | 'source'> {
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

/** The model that the browser itself has, where it has one. */
export interface BrowserEntry extends CommonEntry, Pick<ModelEntry, 'fallback' | 'languages'> {
  /** `LanguageModel` (Prompt API) or `SemanticEmbedder` of the hosting page. */
  backend: 'built-in';
  /** Embeddings have no `fallback`: vectors of two models cannot be compared. */
  task: 'chat' | 'embeddings';
}

/** A model behind a remote `/v1`: its requests leave the device, and it is listed as external. */
export interface UpstreamEntry
  extends CommonEntry, Pick<ModelEntry, 'fallback' | 'prompts' | 'task' | 'upstreamModel' | 'headers'> {
  /** A service over the network. */
  backend: 'upstream';
  /** Base URL of the remote service, e.g. `https://api.openai.com/v1`. It must not be one that this page intercepts. */
  source: string;
}

/** A model that says what its script says, for tests and demos. */
export interface ScriptedEntry extends CommonEntry, Pick<ModelEntry, OnDevice | 'source'> {
  /** No engine. */
  backend: 'scripted';
  /** What its replies are: answers, or what was heard. */
  task: 'chat' | 'speech-to-text';
  /** What it says. */
  script: Script;
}

/** A scripted model whose answers follow from the text (vectors, a tone): its script can only make it slow or fail. */
export interface ScriptedEmbeddingsEntry
  extends CommonEntry, Pick<ModelEntry, OnDevice | 'prompts' | 'source' | 'script'> {
  /** No engine. */
  backend: 'scripted';
  /** Vectors of the text, or a tone as long as it. */
  task: 'embeddings' | 'text-to-speech';
}

/** A scripted model that ranks documents: by `score` of its replies, else by the words that query and document share. */
export interface ScriptedRerankEntry extends Omit<ScriptedEmbeddingsEntry, 'prompts' | 'task'> {
  /** Scores of documents. */
  task: 'rerank';
}

/** A model of the catalog: the fields that its backend has. */
export type TypedModelEntry =
  | GgufEntry
  | TransformersEntry
  | WebLlmEntry
  | BrowserEntry
  | UpstreamEntry
  | ScriptedEntry
  | ScriptedEmbeddingsEntry
  | ScriptedRerankEntry;

export type { LoadProgress } from './load-progress.js';

/** @internal */
export const TASKS = ['chat', 'embeddings', 'rerank', 'speech-to-text', 'text-to-speech'] as const;
/** @internal */
export const DEVICES = ['auto', 'wasm', 'webgpu'] as const;
const BACKENDS = ['gguf', 'transformers', 'web-llm', 'built-in', 'upstream', 'scripted'] as const;
const someText = text('a text');
const texts = v.array(someText, 'an array of texts');
const VOICES = v.array(
  v.pipe(v.string('a text'), v.regex(/^[\w-][\w.-]*$/, 'a name of letters, digits, `-`, `_` and `.`')),
  'an array of names',
);
const SHA256 = 'a SHA-256 (64 hexadecimal digits, or `sha256-` and base64), or an object with one for each file name';
const sha256 = text(SHA256, isSha256);
const textByName = recordOf(v.string(), someText, 'an object of texts');

/** @internal The fields of an entry, for those who take some of them. */
export const ENTRY_FIELDS = {
  id: text('a string that is not empty', (value) => value !== ''),
  task: oneOf(TASKS),
  backend: oneOf(BACKENDS),
  source: optional(someText),
  upstreamModel: optional(someText),
  headers: optional(textByName),
  revision: optional(someText),
  integrity: optional(v.union([sha256, recordOf(v.string(), sha256)], SHA256)),
  file: optional(GGUF_FILE),
  kvCache: optional(oneOf(['q8'])),
  loras: optional(LORAS),
  chatTemplate: optional(someText),
  device: optional(oneOf(DEVICES)),
  dtype: optional(DTYPE),
  toolFormat: optional(oneOf(TOOL_FORMATS)),
  reasoningFormat: optional(oneOf(REASONING_FORMATS)),
  pooling: optional(oneOf(POOLINGS)),
  inputs: optional(INPUTS),
  voices: optional(VOICES),
  phonemizer: optional(someText),
  prompts: optional(textByName),
  judgePrompt: optional(oneOf(JUDGE_PROMPTS)),
  truncate: optional(v.boolean('true or false')),
  modelLibrary: optional(someText),
  ownedBy: optional(someText),
  contextLength: optional(count),
  maxCompletionTokens: optional(count),
  metadata: optional(METADATA),
  pricing: optional(PRICING),
  access: optional(oneOf(['not-in-plan'])),
  status: optional(oneOf(['removed'])),
  languages: optional(texts),
  aliases: optional(texts),
  fallback: optional(someText),
  script: optional(SCRIPT),
};
