/** POST /responses/input_tokens @module */
import type { Endpoint } from '../endpoint.js';
import { countTokens, runOptions } from '../generation/generate.js';
import { nameIgnoredTools } from '../fields/ignored-tools.js';
import { createBodyReader } from './read-body.js';
import { responsesRequestSchema } from './request.js';

/** How many input tokens a response has, without generating anything. */
export const inputTokensEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses/input_tokens',
  summary: 'Counts the input tokens of a response.',
  requestSchema: responsesRequestSchema,
  route: (context) => {
    const read = createBodyReader(context);
    return async (c) => {
      const { request, tools } = await read(c);
      await context.admit(c);
      nameIgnoredTools(c, tools.ignored);
      const input_tokens = await countTokens(context, request, runOptions(c, 'result'));
      return c.json({ object: 'response.input_tokens', input_tokens });
    };
  },
};
