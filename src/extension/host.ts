/** Public API for the document that hosts the engine of a browser extension. @module */
export { startInferenceHost } from './host/start-inference-host.js';
export type { HostInferenceOptions } from './host/start-inference-host.js';
