/** A scripted reply in the raw syntax of a model family, as a real model would write it. @module */
import { THINK_TAGS } from '../../events/think-tags.js';
import type { ReasoningFormat, ToolFormat } from '../../events/token-event.js';
import type { ScriptedReply } from '../../models/model-entry.js';
import { type GenerationRequest, offersTools } from '../../request/generation-request.js';

/** The syntax to write. */
export interface ReplyFormats {
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
}

type Calls = NonNullable<ScriptedReply['toolCalls']>;

/**
 * Reasoning is written when the request enables thinking, calls when it offers tools and does not forbid calls; a raw
 * prompt gets the text alone.
 */
export function writeReply(reply: ScriptedReply, request: GenerationRequest, formats: ReplyFormats): string {
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);
  if (request.prompt.type !== 'chat') return text;
  const reasoning = thinks(request) ? (reply.reasoning ?? '') : '';
  const calls = offersTools(request) ? (reply.toolCalls ?? []) : [];
  if (formats.reasoningFormat === 'harmony') return writeHarmony(reasoning, text, calls);
  const tags = formats.reasoningFormat === 'none' ? undefined : THINK_TAGS[formats.reasoningFormat];
  const thought = tags && reasoning !== '' ? `${tags.open}\n${reasoning}\n${tags.close}\n\n` : '';
  const written = calls.length > 0 ? writeCalls(calls, formats.toolFormat) : '';
  const separator = text !== '' && written !== '' ? '\n' : '';
  return `${thought}${text}${separator}${written}`;
}

function thinks({ reasoning, templateArguments }: GenerationRequest): boolean {
  return reasoning.enabled ?? templateArguments.enable_thinking === true;
}

function writeCalls(calls: Calls, format: ToolFormat): string {
  switch (format) {
    case 'hermes':
      return calls
        .map((call) => `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${json(call)}}\n</tool_call>`)
        .join('\n');
    case 'llama3':
      return calls.map((call) => `{"name": ${JSON.stringify(call.name)}, "parameters": ${json(call)}}`).join('; ');
    case 'mistral':
      return calls.map((call) => `[TOOL_CALLS]${call.name}[ARGS]${json(call)}`).join('');
    case 'pythonic':
      return `[${calls.map(writePythonCall).join(', ')}]`;
    case 'none':
      return '';
  }
}

function json(call: Calls[number]): string {
  return JSON.stringify(call.arguments);
}

function writePythonCall(call: Calls[number]): string {
  const pairs = Object.entries(call.arguments).map(([key, value]) => `${key}=${python(value)}`);
  return `${call.name}(${pairs.join(', ')})`;
}

function python(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${python(item)}`)
    .join(', ')}}`;
}

function writeHarmony(reasoning: string, text: string, calls: Calls): string {
  const messages = [
    ...(reasoning === '' ? [] : [`<|channel|>analysis<|message|>${reasoning}`]),
    ...(text === '' ? [] : [`<|channel|>final<|message|>${text}`]),
    ...calls.map((call) => `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${json(call)}`),
  ];
  return messages.join('<|end|><|start|>assistant');
}
