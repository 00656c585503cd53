/** Models that only a page can run, served there as a model worker serves its own. Fetched when the first is needed. @module */
import { createBrowserBackend } from './engines/built-in/browser-backend.js';
import type { LanguageModelFactory } from './engines/built-in/language-model.js';
import { serveModel } from './serve-model.js';

/**
 * Serves the browser's own model through this port.
 * @param languageModel see `ownLanguageModel`
 * @returns ends it, and frees what it holds
 */
export function serveInPage(port: MessagePort, languageModel: unknown): () => void {
  const closed = new AbortController();
  const backend = createBrowserBackend(() => languageModel as LanguageModelFactory | undefined, closed.signal);
  serveModel(port, async () => backend);
  return () => {
    closed.abort();
    port.close();
  };
}
