/** The body of a text completion as a canonical request. @module */
import { plainGenerationRequest } from '../../request/generation-request.js';
import type { GenerationRequest } from '../../request/generation-request.js';
import { toSampling, toStopList } from '../schemas/to-sampling.js';
import type { CompletionsRequest } from './request-schema.js';

/** Unlike the other dialects, this one samples unless told otherwise. */
const DEFAULT_TEMPERATURE = 0.7;

/**
 * The prompt goes to the model as it is, without a chat template.
 * @param model catalog id
 */
export function toGenerationRequest(body: CompletionsRequest, model: string): GenerationRequest {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    ...plainGenerationRequest(model, { type: 'raw', text: body.prompt }),
    sampling: toSampling({ ...body, temperature: body.temperature ?? DEFAULT_TEMPERATURE }),
    stop: toStopList(body.stop),
    ...(maxTokens != null && { maxTokens }),
    n: body.n ?? 1,
    ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
  };
}
