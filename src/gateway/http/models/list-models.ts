/** GET /models @module */
import type { Endpoint } from '../endpoint.js';
import { asksForMetadata, modelObject, MODELS_QUERY } from './model-object.js';

/** The models that the caller may use. `verbose=true` adds `vendor_metadata`. */
export const listModelsEndpoint: Endpoint = {
  name: 'models',
  method: 'GET',
  path: '/models',
  summary: 'Lists the models that are available to the caller.',
  query: MODELS_QUERY,
  route: (context) => (c) => {
    const verbose = asksForMetadata(c);
    const models = context.inference.catalog.usable();
    return c.json({ object: 'list', data: models.map((entry) => modelObject(entry, context, verbose)) });
  },
};
