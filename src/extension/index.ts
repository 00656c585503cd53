/** Public API for the contexts of a browser extension, but for the host's. @module */
export { connectInference } from './connect-inference.js';
export type { ContentScriptConnection, InferenceConnection, PageConnection } from './connect-inference.js';
export { keepInferenceHost } from './keep-inference-host.js';
export type { HostOptions } from './keep-inference-host.js';
export { bridgePage } from './bridge-page.js';
export { consentRequest } from './consent-request.js';
export type { ConsentRequest } from './consent-request.js';
export { allowedOrigins, revokeOrigin } from './allowed-origins.js';
export type { AllowedOrigin } from './consent-store.js';
