/** Turns a canonical request into the body that the remote service takes. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { encodeBase64 } from '../../core/media/base64.js';
import { type GenerationRequest, offersTools, type OutputFormat } from '../../core/request/generation-request.js';
import { type AssistantMessage, type ContentPart, type Message, textOf } from '../../core/request/message.js';
import type { ToolChoice } from '../../core/request/tool.js';

/** Path and body of a request. Fields that the client did not set are left to the service. */
export interface UpstreamRequest {
  path: '/chat/completions' | '/completions';
  body: Record<string, unknown>;
}

/** @param model its name at the service. @throws InferenceError `unsupported_content` for audio that was not transcribed */
export function toUpstreamRequest(request: GenerationRequest, model: string): UpstreamRequest {
  const { prompt } = request;
  const common = { model, stream: true, stream_options: { include_usage: true }, ...encodeSampling(request) };
  if (prompt.type !== 'chat') {
    const logprobs = request.topLogprobs;
    const sent = prompt.type === 'raw' ? prompt.text : prompt.ids;
    return { path: '/completions', body: { ...common, prompt: sent, ...present({ logprobs, suffix: prompt.suffix }) } };
  }
  const body = {
    ...common,
    messages: toUpstreamMessages(prompt.messages),
    ...encodeTools(request),
    ...present({ response_format: encodeResponseFormat(request.output), reasoning_effort: request.reasoning.effort }),
    ...encodeTemplateArguments(request),
    ...(request.topLogprobs !== undefined && { logprobs: true, top_logprobs: request.topLogprobs }),
  };
  return { path: '/chat/completions', body };
}

function encodeSampling({ sampling, stop, maxTokens, n }: GenerationRequest): Record<string, unknown> {
  return {
    // No temperature means greedy here, and 1 at most services.
    temperature: sampling.temperature ?? 0,
    ...present({
      top_p: sampling.topP,
      top_k: sampling.topK,
      min_p: sampling.minP,
      repetition_penalty: sampling.repetitionPenalty,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
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

function encodeTools(request: GenerationRequest): Record<string, unknown> {
  if (!offersTools(request)) return {};
  const tools = request.tools.map(({ name, description, parameters = NO_PARAMETERS }) => ({
    type: 'function',
    function: { name, ...present({ description }), parameters },
  }));
  return {
    tools,
    tool_choice: encodeToolChoice(request.toolChoice),
    ...(!request.parallelToolCalls && { parallel_tool_calls: false }),
  };
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: choice };
}

function encodeResponseFormat(output: OutputFormat): unknown {
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
function encodeTemplateArguments({ templateArguments, reasoning }: GenerationRequest): Record<string, unknown> {
  const variables = { ...present({ enable_thinking: reasoning.enabled }), ...templateArguments };
  return Object.keys(variables).length === 0 ? {} : { chat_template_kwargs: variables };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Tool results can only be text at the service, so a user message after them has their images.
 * @throws InferenceError `unsupported_content` for audio that was not transcribed
 */
export function toUpstreamMessages(messages: readonly Message[]): unknown[] {
  const calls = new SentCalls();
  return messages.flatMap((message, index) => {
    const sent = encodeMessage(message, calls);
    const isLastResult = message.role === 'tool' && messages[index + 1]?.role !== 'tool';
    const shown = isLastResult ? imagesOfResults(messages, index) : [];
    return shown.length > 0 ? [sent, { role: 'user', content: shown.map(encodePart) }] : [sent];
  });
}

/** Images of the consecutive tool results that end at an index. */
function imagesOfResults(messages: readonly Message[], end: number): ContentPart[] {
  const begin = messages.findLastIndex((message, index) => index < end && message.role !== 'tool') + 1;
  return messages.slice(begin, end + 1).flatMap(({ content }) => content.filter(({ type }) => type === 'image'));
}

/** Replaces ids of tool calls by ids that every service takes. */
class SentCalls {
  readonly #calls = new Map<string, { id: string; name: string }>();
  #count = 0;

  add({ id, name }: { id: string; name: string }): string {
    // Mistral takes only ids of nine letters and digits.
    const sent = `call${String(this.#count++).padStart(5, '0')}`;
    this.#calls.set(id, { id: sent, name });
    return sent;
  }

  find(id: string): { id: string; name?: string } {
    return this.#calls.get(id) ?? { id };
  }
}

function encodeMessage(message: Message, calls: SentCalls): unknown {
  switch (message.role) {
    case 'assistant':
      return encodeAssistantMessage(message, calls);
    case 'tool': {
      const { id, name } = calls.find(message.toolCallId);
      // Gemini requires the function's name again.
      return { role: 'tool', tool_call_id: id, ...(name && { name }), content: textOf(message.content) };
    }
    case 'system':
    case 'user':
      return { role: message.role, ...present({ name: message.name }), content: encodeContent(message.content) };
  }
}

/** Reasoning of earlier answers is not sent: services differ in its name, and some refuse it. */
function encodeAssistantMessage({ content, toolCalls, name }: AssistantMessage, calls: SentCalls): unknown {
  const text = textOf(content);
  const role = { role: 'assistant', ...present({ name }) };
  if (toolCalls.length === 0) return { ...role, content: text };
  const sent = toolCalls.map((call) => ({
    id: calls.add(call),
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return { ...role, content: text === '' ? null : text, tool_calls: sent };
}

/** A string when there is only text, because some services do not accept parts. */
function encodeContent(content: readonly ContentPart[]): unknown {
  return content.every((part) => part.type === 'text') ? textOf(content) : content.map(encodePart);
}

function encodePart(part: ContentPart): unknown {
  switch (part.type) {
    case 'text':
      return part;
    case 'image': {
      const url = `data:${part.mediaType};base64,${encodeBase64(part.bytes)}`;
      return { type: 'image_url', image_url: { url, ...(part.detail && { detail: part.detail }) } };
    }
    case 'audio':
      throw new InferenceError('unsupported_content', 'Upstream models do not accept audio.', { param: 'messages' });
  }
}
