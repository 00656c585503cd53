/** GET /models and GET /models/{model_id}: their rows. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

/** Where they are below the prefix. */
export const MODELS_PATH = '/models';

/** The query of both endpoints. */
const MODELS_QUERY = { verbose: 'Adds `vendor_metadata`.' };
const PAGE_QUERY = {
  limit: {
    description: 'With the header `anthropic-version`: at most this many models.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
  },
  after_id: {
    description: 'With the header `anthropic-version`: the models after this one.',
    schema: { type: 'string' },
  },
  before_id: {
    description: 'With the header `anthropic-version`: the models before this one.',
    schema: { type: 'string' },
  },
};

export const listModelsEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'models',
    method: 'GET',
    path: MODELS_PATH,
    summary: 'Lists the models that are available to the caller.',
    query: { ...MODELS_QUERY, ...PAGE_QUERY },
  },
  async () => (await import('./route.js')).list,
);

export const retrieveModelEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'model',
    method: 'GET',
    path: `${MODELS_PATH}/:id{[^]+}`,
    summary: 'Retrieves the metadata of one model.',
    query: MODELS_QUERY,
  },
  async () => (await import('./route.js')).retrieve,
);
