/**
 * The browser's own interfaces for models, as they were when Inpage's code ran for the first time. An app may later put other objects in
 * their place that send what they are asked to this very service: a model that asked them would ask itself. What a script has put there
 * earlier is taken, with a warning in `status()`: it may stand in for the browser's.
 * @module
 */

/** Each is undefined where the browser has none. */
export interface OwnInterfaces {
  LanguageModel?: unknown;
  SemanticEmbedder?: unknown;
}

const { LanguageModel, SemanticEmbedder } = globalThis as OwnInterfaces;

export const ownInterfaces: OwnInterfaces = { LanguageModel, SemanticEmbedder };
