/**
 * `inpage/built-in-ai`: the browser's interfaces for built-in models, on the page's own models.
 * @module
 * @example
 * import { startInference } from 'inpage';
 * import { installBuiltInAI } from 'inpage/built-in-ai';
 *
 * await installBuiltInAI(await startInference());
 */
export { installBuiltInAI } from './install-built-in-ai.js';
export type { BuiltInAIOptions, InstalledBuiltInAI } from './install-built-in-ai.js';
export type { Inference } from './service.js';
export type { InterfaceName } from './interface-names.js';
