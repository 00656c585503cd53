/** The body of a text completion as canonical requests. @module */
import { plainGenerationRequest } from '../../../core/request/generation-request.js';
import type { GenerationRequest, Prompt } from '../../../core/request/generation-request.js';
import { toSampling, toStopList } from '../fields/sampling.js';
import type { CompletionsRequest } from './request-schema.js';

/** Unlike the other dialects, this one samples unless told otherwise. */
const DEFAULT_TEMPERATURE = 0.7;

/** One prompt of the body. */
export interface PromptRequest {
  request: GenerationRequest;
  /** Dotted path of the prompt in the body. */
  param: string;
}

/**
 * One request per prompt, in order. Prompts go to the model as they are, without a chat template.
 * @param model catalog id
 */
export function toPromptRequests(body: CompletionsRequest, model: string): PromptRequest[] {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return toPrompts(body.prompt).map(([prompt, param]) => ({
    param,
    request: {
      ...plainGenerationRequest(model, prompt),
      sampling: toSampling({ ...body, temperature: body.temperature ?? DEFAULT_TEMPERATURE }),
      stop: toStopList(body.stop),
      ...(maxTokens != null && { maxTokens }),
      n: body.n ?? 1,
      ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
    },
  }));
}

function toPrompts(prompt: CompletionsRequest['prompt']): [prompt: Prompt, param: string][] {
  if (typeof prompt === 'string') return [[{ type: 'raw', text: prompt }, 'prompt']];
  if (isTokens(prompt)) return [[{ type: 'tokens', ids: prompt }, 'prompt']];
  return prompt.map((item, index) => [
    typeof item === 'string' ? { type: 'raw', text: item } : { type: 'tokens', ids: item },
    `prompt.${index}`,
  ]);
}

function isTokens(prompt: readonly unknown[]): prompt is number[] {
  return typeof prompt[0] === 'number';
}
