/** GET /models/{model_id} @module */
import type { Endpoint } from '../endpoint.js';
import { asksForMetadata, modelObject, MODELS_QUERY } from './model-object.js';

/** One model, by id or alias. Ids with a slash may come encoded or as they are. */
export const retrieveModelEndpoint: Endpoint = {
  name: 'model',
  method: 'GET',
  path: '/models/:id{.+}',
  summary: 'Retrieves the metadata of one model.',
  query: MODELS_QUERY,
  route: (context) => (c) => {
    const entry = context.inference.catalog.require(c.req.param('id') ?? '');
    return c.json(modelObject(entry, context, asksForMetadata(c)));
  },
};
