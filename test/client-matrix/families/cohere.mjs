// Cohere's own client and its provider of the AI SDK, which rank documents.
import { DOCUMENTS, QUERY, RANKER } from '../task.mjs';

/** @param Client `CohereClientV2`, or `CohereClient`, which asks the first version of the service */
export const cohereClient = (Client) => (service) => {
  // The client adds the version to its base, so that a page intercepts it: this is what `intercept` does there.
  const answeredHere = (url, init) =>
    fetch(String(url).replace(/^https:\/\/api\.cohere\.com\/v[12](?=\/)/, service.baseURL), init);
  const cohere = new Client({ token: 'any', fetch: answeredHere });
  return {
    rerank: async () => (await cohere.rerank({ model: RANKER, query: QUERY, documents: DOCUMENTS, topN: 2 })).results,
  };
};

export const cohereSdk =
  ({ rerank }, { createCohere }) =>
  ({ baseURL }) => {
    const model = createCohere({ baseURL, apiKey: 'any' }).reranking(RANKER);
    return {
      rerank: async () => {
        const { ranking } = await rerank({ model, query: QUERY, documents: DOCUMENTS, topN: 2, maxRetries: 0 });
        return ranking.map(({ originalIndex, score }) => ({ index: originalIndex, relevanceScore: score }));
      },
    };
  };
