/** The service for programs that are no browsers. @module */
export { serveInference } from './serve-inference.js';
export type { InferenceServer, ServeOptions } from './serve-inference.js';
