/**
 * The browser's own `LanguageModel`, as it was when Inpage's code ran for the first time. An app may later put another object in its
 * place that sends its prompts to this very service: a model that asked it would ask itself. What a script has put there earlier is
 * taken, with a warning in `status()`: it may stand in for the browser's.
 * @module
 */
const found = (globalThis as { LanguageModel?: unknown }).LanguageModel;

/** Undefined where the browser has none. */
export function ownLanguageModel(): unknown {
  return found;
}
