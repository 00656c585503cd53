/** Models that only a page can run, served there as a model worker serves its own. Fetched when the first is needed. @module */
import type { OwnInterfaces } from '../../core/platform/own-interfaces.js';
import { createBrowserBackend } from '../built-in/browser-backend.js';
import { createBrowserEmbedder } from '../built-in/browser-embedder.js';
import type { LanguageModelFactory } from '../built-in/language-model.js';
import type { SemanticEmbedderFactory } from '../built-in/semantic-embedder.js';
import { serveModel } from './serve-model.js';

/**
 * Serves the browser's built-in model through this port.
 * @param own see `ownInterfaces`
 * @returns ends it, and frees what it holds
 */
export function serveInPage(port: MessagePort, own: OwnInterfaces): () => void {
  const closed = new AbortController();
  const chat = createBrowserBackend(() => own.LanguageModel as LanguageModelFactory | undefined, closed.signal);
  const embedder = createBrowserEmbedder(
    () => own.SemanticEmbedder as SemanticEmbedderFactory | undefined,
    closed.signal,
  );
  serveModel(port, async ({ task }) => (task === 'embeddings' ? embedder : chat));
  return () => {
    closed.abort();
    port.close();
  };
}
