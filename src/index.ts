/** Public API of the page. @module */
export { startInference } from './page/start-inference.js';
export { createInferenceStore } from './page/reactive-inference.js';
export type { InferenceSnapshot, InferenceStore } from './page/reactive-inference.js';
export { diagnose } from './page/on-demand.js';
export type { Finding } from './page/diagnosis/finding.js';
export type { ApiKey, FileOptions, RateLimits } from './core/models/inference-options.js';
export type { InferenceOptions } from './core/models/inference-options.js';
export type { PageInference, PickedFiles } from './core/models/page-inference.js';
export type { LoadProgress } from './core/models/load-progress.js';
export type { StoredFile, StoredFiles, StoredModel, StoredResponses } from './core/models/stored-model.js';
export type {
  BrowserEntry,
  ScriptedEmbeddingsEntry,
  ScriptedEntry,
  ScriptedRerankEntry,
  GgufEntry,
  TransformersEntry,
  TypedModelEntry as ModelEntry,
  UpstreamEntry,
  WebLlmEntry,
} from './core/models/model-entry.js';
export type { Lora } from './core/models/lora.js';
export type { RouteContext, RouteHandler } from './core/models/route-options.js';
export type { ReplyMatch } from './core/models/reply-match.js';
export type { ReplyError, Script, ScriptedReply } from './core/models/script.js';
export type { FaultSettings } from './core/models/fault-settings.js';
export type { EstimateReason, ModelEstimate } from './core/models/model-estimate.js';
export type { ModelStatus } from './core/models/model-status.js';
export { listWebLlmModels } from './page/on-demand.js';
export { recommendedModels } from './page/on-demand.js';
export type { RecommendationFilter, RecommendedModel } from './core/models/recommended-models.js';
export type { WebLlmModelInfo } from './engines/web-llm/list-models.js';
export { deviceMemory } from './core/platform/device-memory.js';
export { DEFAULT_MODELS } from './core/models/default-catalog.js';
export { INFERENCE_ERROR_CODES, InferenceError, isInferenceError } from './core/errors/inference-error.js';
export type { InferenceErrorCode, InferenceErrorDetails, RemovableModel } from './core/errors/inference-error.js';
export type { Pricing, VendorMetadata } from './core/models/model-description.js';
export type { SerializedInferenceError } from './core/errors/inference-error.js';
export type {
  ChannelPart,
  ChoiceEndEvent,
  CountsEvent,
  IgnoredParts,
  PieceEvent,
  PromptEvent,
  PromptLogprobs,
  TokenCandidate,
  TokenEvent,
  TokenLogprob,
} from './core/events/token-event.js';
export type { ReasoningFormat, ToolFormat } from './core/models/answer-formats.js';
export type { Dtype, DtypeName } from './core/models/dtype.js';
export type { Pooling } from './core/models/embedding-fields.js';
export type { JudgePromptName } from './core/models/judge-prompts.js';
export type { ListedDtype, ListedModel } from './core/models/listed-models.js';
export type { RecordedEvent, RecordedStep } from './core/models/recorded-answer.js';
export type { FailureStatus } from './core/models/simulated-failure.js';
export type { PromptCacheUsage } from './core/models/stored-model.js';
export type { SamplingDefaults } from './core/request/generation-request.js';
export type { TimedText, TranscriptEvent, TranscriptSegment } from './core/request/transcription-request.js';
