/** What `startInference` can be told. @module */
import type { InferenceOptions } from './start-options.js';

/** Every option of `startInference`. */
export const OPTION_NAMES: Record<keyof InferenceOptions, true> = {
  models: true,
  apiKeys: true,
  rateLimits: true,
  compatibility: true,
  requestTimeout: true,
  prefix: true,
  intercept: true,
  serviceWorker: true,
  crossOriginIsolation: true,
  hub: true,
  crossOriginStorage: true,
  whenUnhosted: true,
  onProgress: true,
};
