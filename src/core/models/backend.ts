/**
 * The interface between the scheduler and the engines. A backend loads a model; a loaded model answers canonical requests.
 * Nothing above knows which engine it is. Runs in a model worker, or in-process in Node tests.
 * @module
 */
import type { InferenceError } from '../errors/inference-error.js';
import type { TokenEvent } from '../events/token-event.js';
import type { ReasoningFormat, ToolFormat } from './answer-formats.js';
import type { OptionsByRealm } from './inference-options.js';
import type { VendorMetadata } from './model-description.js';
import type { LoadProgress, ModelEntry } from './model-entry.js';
import type { DecisionRequest, DecisionResult } from '../request/decision-request.js';
import type { EmbeddingRequest, EmbeddingResult, Measure, MeasureRequest } from '../request/embedding-request.js';
import type { GenerationRequest, SamplingDefaults } from '../request/generation-request.js';
import type { RankingRequest, RankingResult } from '../request/ranking-request.js';
import type { Tokenization, TokenizationRequest } from '../request/tokenization-request.js';
import type { SpeechEvent, SpeechRequest, Voice } from '../request/speech-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../request/transcription-request.js';

/** Facts known once a model is loaded. Plain data. */
export interface ModelInfo {
  /** Tokens that prompt and answer share. */
  contextLength: number;
  /** Where it runs, for `status()` and `system_fingerprint`. */
  device: 'webgpu' | 'wasm' | 'none';
  /** Why `device: 'auto'` passed WebGPU over. Undefined: it did not. */
  deviceReason?: string;
  /** WASM threads; 1 without cross-origin isolation. */
  threads: number;
  dtype?: string;
  /** Bytes that keys and values of a token take in memory. Undefined: not known. */
  kvTokenBytes?: number;
  /** What makes it slower than it need be, and what to change. */
  warning?: string;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** Image parts are understood. */
  images: boolean;
  /** Sound is understood as it is. Undefined: a speech model transcribes it. */
  audio?: boolean;
  /** What the model's files say of it, for lists of models. Undefined: nothing. */
  description?: VendorMetadata;
  /** How its makers want tokens chosen. Undefined: they do not say. */
  sampling?: SamplingDefaults;
  /** Of a model that speaks: at least one. */
  voices?: Voice[];
  /** Numbers per embedding. */
  dimensions?: number;
  /** How many requests may run at a time; others wait for their turn. Undefined: text and speech one by one. */
  concurrency?: number;
}

/**
 * A model that is ready. Engines on the device run one generation at a time, or as many as they can decode together
 * (`concurrency`), so callers queue (`scheduler/`); one call more is a defect.
 *
 * Canceling: when `signal` aborts, the engine stops within one token and the iterable ends by throwing an
 * InferenceError `cancelled`; afterwards the model is free. Breaking out of the iteration does the same.
 */
export interface LoadedModel {
  readonly info: ModelInfo;
  /** Resolves when the model can no longer answer (worker ended, GPU device lost). Pending calls then throw it. */
  readonly lost: Promise<InferenceError>;
  /** What came together comes together: the events of one decoding step, or of one message. No batch is empty. */
  generate?(request: GenerationRequest, signal: AbortSignal): AsyncIterable<readonly TokenEvent[]>;
  /** Tokens of the rendered prompt. */
  countTokens?(request: GenerationRequest, signal: AbortSignal): Promise<number>;
  /** The tokens of a prompt, and their text. Undefined: they are not known here. */
  tokenize?(request: TokenizationRequest, signal: AbortSignal): Promise<Tokenization>;
  /** Reads the probabilities of answers; nothing is generated. Undefined: the engine gives no logits. */
  decide?(request: DecisionRequest, signal: AbortSignal): Promise<DecisionResult>;
  embed?(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResult>;
  /** Tokens of texts to be embedded. Undefined: they are not known here. */
  measure?(request: MeasureRequest, signal: AbortSignal): Promise<Measure>;
  rerank?(request: RankingRequest, signal: AbortSignal): Promise<RankingResult>;
  transcribe?(request: TranscriptionRequest, signal: AbortSignal): AsyncIterable<TranscriptEvent>;
  speak?(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  /** Frees what can be freed; the worker ends afterwards. */
  unload(): Promise<void>;
}

/** A file that a person picked. */
export interface LocalFile {
  /** With the folders that it was picked with, e.g. `my-model/onnx/model_q4.onnx`. */
  path: string;
  file: Blob;
}

/** @internal What an engine is told with a model: the options of the realm, and of this load. */
export interface LoadOptions extends Partial<OptionsByRealm['model']> {
  /** Called from the first byte on. `ready` is for the scheduler to say, once. */
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
  /** Absolute base URL of static files that the app serves for engines (ONNX Runtime's wasm); ends with `/`. */
  assetsURL: string;
  /** Absolute URL that relative `source` URLs are resolved against. */
  pageURL: string;
  /** Gigabytes of the device's memory, as the page sees it. Undefined: what the engine's worker sees. */
  deviceMemory?: number;
  /** Bytes for prompts that may be continued. Undefined: as much as the device's memory allows one model. */
  prefixCacheBytes?: number;
  /** Files that a person picked: they stand for the server. */
  localFiles?: readonly LocalFile[];
}

/** @internal Loads models of one engine. Throws InferenceError `insufficient_resources` before any download when it cannot run here. */
export interface Backend {
  load(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel>;
  /** Brings all of a model's files into the store without loading it. Undefined: it has none. Rejects with InferenceError. */
  fetchFiles?(entry: ModelEntry, options: LoadOptions): Promise<void>;
}
