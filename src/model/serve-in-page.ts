/** Models that only a page can run, served there as a model worker serves its own. Fetched when the first is needed. @module */
import { ownLanguageModel } from '../core/platform/own-language-model.js';
import { createBrowserBackend } from './engines/built-in/browser-backend.js';
import type { LanguageModelFactory } from './engines/built-in/language-model.js';
import { serveModel } from './serve-model.js';

/** Serves the browser's own model through this port. @returns ends it, and frees what it holds */
export function serveInPage(port: MessagePort): () => void {
  const over = new AbortController();
  const backend = createBrowserBackend(() => ownLanguageModel() as LanguageModelFactory | undefined, over.signal);
  serveModel(port, async () => backend);
  return () => {
    over.abort();
    port.close();
  };
}
