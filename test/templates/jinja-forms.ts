/** The forms in which programs give a conversation to a chat template, the usual one first. */
import { type Message, textOf } from '../../src/core/request/message.js';
import type { Conversation } from './conversations.js';

type PlainMessage = Record<string, unknown>;

/** Variables of a rendering. */
export interface Form {
  name: string;
  variables: Record<string, unknown>;
}

interface FormOptions {
  parts: 'with images' | 'always';
  textArguments: boolean;
  splitsThoughts: boolean;
  movesSystem: boolean;
}

const TOKENS = { bos_token: '<s>', eos_token: '</s>', pad_token: '', unk_token: '' };

/** Every form that a server in use would try. */
export function formsOf(conversation: Conversation): Form[] {
  const forms: Form[] = [];
  for (const movesSystem of [false, true])
    for (const parts of ['with images', 'always'] as const)
      for (const textArguments of [false, true])
        for (const splitsThoughts of [true, false]) {
          const options = { parts, textArguments, splitsThoughts, movesSystem };
          const variables = {
            ...TOKENS,
            messages: plainMessages(conversation.messages, options),
            tools: plainTools(conversation),
            add_generation_prompt: true,
          };
          const name = `parts ${parts}, arguments ${textArguments ? 'as text' : 'as objects'}, thoughts ${splitsThoughts ? 'split' : 'as they are'}, system ${movesSystem ? 'in front' : 'in place'}`;
          const same = forms.some((form) => JSON.stringify(form.variables) === JSON.stringify(variables));
          if (!same) forms.push({ name, variables });
        }
  return forms;
}

export const FORM_TOKENS = TOKENS;

function plainTools({ tools }: Conversation): unknown {
  return (
    tools?.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, ...(description !== undefined && { description }), parameters },
    })) ?? null
  );
}

function plainMessages(messages: readonly Message[], options: FormOptions): PlainMessage[] {
  const systems = messages.filter(({ role }) => role === 'system');
  const moves = options.movesSystem && systems.length > 0;
  const first = {
    role: 'system',
    content: written(systems.map(({ content }) => textOf(content)).join('\n\n'), options),
  };
  const names = new Map<string, string>();
  const rest = messages
    .filter(({ role }) => !moves || role !== 'system')
    .map((message) => plainMessage(message, options, names));
  return moves ? [first, ...rest] : rest;
}

function written(text: string, { parts }: FormOptions): unknown {
  return parts === 'always' ? [{ type: 'text', text }] : text;
}

function plainMessage(message: Message, options: FormOptions, names: Map<string, string>): PlainMessage {
  const { role, content } = message;
  if (content.some(({ type }) => type === 'image')) {
    return { role, content: content.map((part) => (part.type === 'text' ? part : { type: part.type })) };
  }
  const text = textOf(content);
  if (message.role === 'tool') {
    const { toolCallId } = message;
    return { role, content: written(text, options), tool_call_id: toolCallId, name: names.get(toolCallId) };
  }
  if (message.role !== 'assistant') return { role, content: written(text, options) };
  const thought = /^<think>\n?([^]*?)\n?<\/think>\n*/.exec(text);
  const splits = options.splitsThoughts && thought !== null;
  const reasoning = splits ? thought[1] : message.reasoning;
  for (const { id, name } of message.toolCalls) names.set(id, name);
  const calls = message.toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: options.textArguments ? given : (JSON.parse(given) as unknown) },
  }));
  return {
    role,
    content: written(splits ? text.slice(thought[0].length) : text, options),
    ...(reasoning !== undefined && { reasoning_content: reasoning, thinking: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
