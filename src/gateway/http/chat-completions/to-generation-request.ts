/** A chat completion request as a canonical request. @module */
import type { GenerationRequest, Reasoning } from '../../../core/request/generation-request.js';
import type { Message } from '../../../core/request/message.js';
import { toEffort, toSampling, toStopList } from '../fields/sampling.js';
import { toOffer, toOutputFormat, toTools } from './tools.js';
import type { ChatCompletionRequest } from './request-schema.js';

/**
 * @param model catalog id
 * @throws InferenceError `invalid_request` for a tool choice or schema that cannot be honoured
 */
export function toGenerationRequest(
  body: ChatCompletionRequest,
  model: string,
  messages: Message[],
): GenerationRequest {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    model,
    prompt: { type: 'chat', messages },
    ...toOffer(body.tool_choice, toTools(body.tools)),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.response_format),
    sampling: toSampling(body),
    reasoning: toReasoning(body),
    templateArguments: body.chat_template_kwargs ?? {},
    stop: toStopList(body.stop),
    n: body.n ?? 1,
    ...(maxTokens != null && { maxTokens }),
    ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
  };
}

function toReasoning(body: ChatCompletionRequest): Reasoning {
  const enabled = body.chat_template_kwargs?.['enable_thinking'];
  const reasoning: Reasoning = {};
  if (typeof enabled === 'boolean') reasoning.enabled = enabled;
  if (body.reasoning_effort === 'none') return { ...reasoning, enabled: false };
  if (body.reasoning_effort != null) reasoning.effort = toEffort(body.reasoning_effort);
  return reasoning;
}
