import { CHAT, EMBEDDER } from '../task.mjs';

/** The models of a provider of the AI SDK. @param optionsOf where the service is */
export const modelsOf =
  (optionsOf) =>
  ({ createOllama }, service) => {
    const ollama = createOllama(optionsOf(service));
    return { language: ollama(CHAT), embedding: ollama.textEmbeddingModel(EMBEDDER) };
  };
