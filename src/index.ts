/** Public API of the page. @module */
export { startInference } from './start-inference.js';
export type { PageInference } from './start-inference.js';
export type { ApiKey, InferenceOptions, RateLimits } from './tab/start-options.js';
export type { LoadProgress, ModelEntry, Pricing, Script, ScriptedReply, VendorMetadata } from './models/model-entry.js';
export type { FaultSettings } from './faults/faults.js';
export type { ModelStatus } from './scheduler/model-status.js';
export { listWebLlmModels } from './list-web-llm-models.js';
export type { PrebuiltModel } from './backends/web-llm/prebuilt-model.js';
export { DEFAULT_MODELS } from './models/default-catalog.js';
export { INFERENCE_ERROR_CODES, InferenceError, isInferenceError } from './errors/inference-error.js';
export type { InferenceErrorCode, InferenceErrorDetails } from './errors/inference-error.js';
