/** Public API for the contexts of a browser extension, but for the host's. @module */
export { connectInference } from './connect-inference.js';
export type { ContentScriptConnection, InferenceConnection, PageConnection } from './connect-inference.js';
export { keepInferenceHost } from './keep-inference-host.js';
export type { HostOptions } from './keep-inference-host.js';
