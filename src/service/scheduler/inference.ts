/**
 * The interface of the scheduler for `http/`: it answers canonical requests for all models of the catalog. It loads models
 * on first use, queues requests, enforces deadlines and turns tokens into events.
 * @module
 */
import type { LoadProgress } from '../../core/models/model-entry.js';
import type { ModelStatus } from '../../core/models/model-status.js';
import type { FetchOptions } from './model-host.js';
import type { VendorMetadata } from '../../core/models/model-description.js';
import type { ResumeState } from '../answer/resume-state.js';
import type { GenerationEvent } from '../answer/generation-event.js';
import type { Catalog } from '../../core/models/catalog.js';
import type { DecisionAnswer, DecisionRequest } from '../../core/request/decision-request.js';
import type {
  EmbeddingAnswer,
  EmbeddingRequest,
  Measure,
  MeasureRequest,
} from '../../core/request/embedding-request.js';
import type { GenerationRequest, SamplingDefaults } from '../../core/request/generation-request.js';
import type { RankingAnswer, RankingRequest } from '../../core/request/ranking-request.js';
import type { SpeechEvent, SpeechRequest, Voice } from '../../core/request/speech-request.js';
import type { Tokenization, TokenizationRequest } from '../../core/request/tokenization-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../core/request/transcription-request.js';

export interface RunOptions {
  /** The caller's cancellation. */
  signal: AbortSignal;
  /**
   * What `requestTimeout` waits for: `first-token` when the answer is streamed, `result` when it is collected.
   * Queueing counts, downloading and loading the model does not. Late: InferenceError `timeout`.
   */
  deadline: 'first-token' | 'result';
  /** Called when it is the request's turn, perhaps several times; until then it has cost nothing but its place. */
  onBegin?: (() => void) | undefined;
  /** See `GenerationRequest`. */
  caller?: GenerationRequest['caller'];
  /** See `TracedRequest`. */
  requestId?: GenerationRequest['requestId'];
  /** Milliseconds that the model stays loaded after its last request; 0: none, negative: for good. Undefined: as it was. */
  keepAlive?: number | undefined;
  /** What a generation notes of itself, and what is known of one that another host began. */
  resumeState?: ResumeState | undefined;
}

/** A model that is loaded. */
export interface Residence {
  /** Of its files, as far as they were reported. */
  bytes: number;
  /** Unix milliseconds at which it is unloaded unless it is used; absent: no request has limited its stay. */
  expiresAt?: number | 'never' | undefined;
}

/**
 * Every method rejects (or the iterable throws) with an InferenceError. Errors of the request itself
 * (`context_length_exceeded`, `unsupported_content`, a schema that does not compile) come before the first event.
 */
export interface Inference {
  readonly catalog: Catalog;
  /** Tokens of a model's context window: the engine's own word once it was loaded, before that the entry's, if any. */
  contextLength(model: string): number | undefined;
  /** Whether that is exact: the engine's own word, and of a remote model the entry's. */
  isContextLengthKnown(model: string): boolean;
  /** The model takes images; undefined: not known before its first load. */
  takesImages(model: string): boolean | undefined;
  /** The model can think before it answers; undefined: not known, before its first load or of a remote model. */
  thinks(model: string): boolean | undefined;
  /** Undefined: it is not loaded. */
  residence(model: string): Residence | undefined;
  /** What the model's own files say of it; undefined: nothing, or it was not loaded yet. */
  description(model: string): VendorMetadata | undefined;
  /** What the model's own files say about sampling; undefined: nothing, or it was not loaded yet. */
  samplingDefaults(model: string): SamplingDefaults | undefined;
  /** What came together comes together, e.g. all that one message from the model's worker brought. No batch is empty. */
  generate(request: GenerationRequest, options: RunOptions): AsyncIterable<readonly GenerationEvent[]>;
  countTokens(request: GenerationRequest, options: RunOptions): Promise<number>;
  /** @throws InferenceError also `model_not_supported`, of a model whose tokens are not known here */
  tokenize(request: TokenizationRequest, options: RunOptions): Promise<Tokenization>;
  /** @throws InferenceError also `model_not_supported`, at once, of a model without logits */
  decide(request: DecisionRequest, options: RunOptions): Promise<DecisionAnswer>;
  embed(request: EmbeddingRequest, options: RunOptions): Promise<EmbeddingAnswer>;
  /** @throws InferenceError also `model_not_supported`, of a model whose tokens are not known here */
  measure(request: MeasureRequest, options: RunOptions): Promise<Measure>;
  rerank(request: RankingRequest, options: RunOptions): Promise<RankingAnswer>;
  transcribe(request: TranscriptionRequest, options: RunOptions): AsyncIterable<TranscriptEvent>;
  speak(request: SpeechRequest, options: RunOptions): AsyncIterable<SpeechEvent>;
  /** Loads a model before its first request; one that this device refused is tried again. @throws InferenceError */
  load(model: string, options?: Pick<RunOptions, 'keepAlive'>): Promise<void>;
  /** Unloads a model once no request uses it. Resolves at once where some do. */
  release(model: string): Promise<void>;
  /** Of a model that speaks. Loads it when needed, because its files name them. */
  voices(model: string, options: RunOptions): Promise<readonly Voice[]>;
}

/** {@link Inference} with the controls that the page API offers. */
export interface ControlledInference extends Inference {
  /** Ends the model's engine; a running request fails with `unavailable`. */
  unload(model: string): Promise<void>;
  /** Brings a model's files into the store without loading it. @throws InferenceError */
  fetchFiles(model: string, options: Omit<FetchOptions, 'onProgress'>): Promise<void>;
  status(): ModelStatus[];
  /** Called after every change of status and for every load progress. Returns the way to stop listening. */
  onChange(listener: (progress?: LoadProgress) => void): () => void;
  /** Unloads everything. */
  stop(): Promise<void>;
}
