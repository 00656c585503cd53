/** POST /messages/count_tokens @module */
import { MESSAGES_PATH } from '../../../core/errors/error-bodies.js';
import type { Endpoint } from '../endpoint.js';
import { countTokens } from '../generation/generate.js';
import { runOptions } from '../generation/run-options.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { countTokensRequestSchema } from './request-schema.js';
import { FIELD_NAMES, toPromptRequest } from './to-generation-request.js';

/** How many input tokens a Messages request has, without generating anything. */
export const countTokensEndpoint: Endpoint = {
  name: 'messages',
  method: 'POST',
  path: `${MESSAGES_PATH}/count_tokens`,
  summary: 'Counts the input tokens of a Messages request.',
  requestSchema: () => countTokensRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(countTokensRequestSchema, await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const request = await toPromptRequest(body, entry.id);
    await context.admit(c);
    return c.json({ input_tokens: await countTokens(context, request, runOptions(c, 'result'), FIELD_NAMES) });
  },
};
