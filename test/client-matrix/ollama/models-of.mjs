import { CHAT, EMBEDDER } from '../task.mjs';

/**
 * The models of a provider of the AI SDK.
 * @param optionsOf where the service is
 * @param isRepeated whether the SDK sees which of its errors are worth another request
 */
export const modelsOf =
  (optionsOf, isRepeated = true) =>
  ({ createOllama }, service, model = CHAT) => {
    const ollama = createOllama(optionsOf(service));
    return { isRepeated, language: ollama(model), embedding: ollama.textEmbeddingModel(EMBEDDER) };
  };
