/** Turns a canonical request into the body that the remote service takes. @module */
import { type GenerationRequest, offersTools, type OutputFormat } from '../../../core/request/generation-request.js';
import type { ToolChoice } from '../../../core/request/tool.js';
import { toUpstreamMessages } from './chat-messages.js';

/** Path and body of a request. Fields that the client did not set are left to the service. */
export interface UpstreamRequest {
  path: '/chat/completions' | '/completions';
  body: Record<string, unknown>;
}

/** @param model its name at the service. @throws InferenceError `unsupported_content` for audio that was not transcribed */
export function toUpstreamRequest(request: GenerationRequest, model: string): UpstreamRequest {
  const { prompt } = request;
  const common = { model, stream: true, stream_options: { include_usage: true }, ...samplingOf(request) };
  if (prompt.type !== 'chat') {
    const logprobs = request.topLogprobs;
    const sent = prompt.type === 'raw' ? prompt.text : prompt.ids;
    return { path: '/completions', body: { ...common, prompt: sent, ...present({ logprobs }) } };
  }
  const body = {
    ...common,
    messages: toUpstreamMessages(prompt.messages),
    ...toolsOf(request),
    ...present({ response_format: responseFormatOf(request.output), reasoning_effort: request.reasoning.effort }),
    ...templateArgumentsOf(request),
    ...(request.topLogprobs !== undefined && { logprobs: true, top_logprobs: request.topLogprobs }),
  };
  return { path: '/chat/completions', body };
}

function samplingOf({ sampling, stop, maxTokens, n }: GenerationRequest): Record<string, unknown> {
  return {
    // No temperature means greedy here, and 1 at most services.
    temperature: sampling.temperature ?? 0,
    ...present({
      top_p: sampling.topP,
      top_k: sampling.topK,
      repetition_penalty: sampling.repetitionPenalty,
      seed: sampling.seed,
      logit_bias: sampling.logitBias,
      max_tokens: maxTokens,
      stop: stop.length > 0 ? stop : undefined,
      n: n > 1 ? n : undefined,
    }),
  };
}

/** For services that require a schema. */
const NO_PARAMETERS = { type: 'object', properties: {} };

function toolsOf(request: GenerationRequest): Record<string, unknown> {
  if (!offersTools(request)) return {};
  const tools = request.tools.map(({ name, description, parameters = NO_PARAMETERS }) => ({
    type: 'function',
    function: { name, ...present({ description }), parameters },
  }));
  return {
    tools,
    tool_choice: toolChoiceOf(request.toolChoice),
    ...(!request.parallelToolCalls && { parallel_tool_calls: false }),
  };
}

function toolChoiceOf(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: choice };
}

function responseFormatOf(output: OutputFormat): unknown {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json-object':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name, schema, strict } = output;
      return { type: 'json_schema', json_schema: { name, schema, strict } };
    }
  }
}

/** Sent only when the client set them, because few services know them. */
function templateArgumentsOf({ templateArguments, reasoning }: GenerationRequest): Record<string, unknown> {
  const variables = { ...present({ enable_thinking: reasoning.enabled }), ...templateArguments };
  return Object.keys(variables).length === 0 ? {} : { chat_template_kwargs: variables };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
