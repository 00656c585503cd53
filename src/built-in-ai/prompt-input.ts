/** What `prompt`, `append` and their like are given, checked and taken at once, and the turns that it becomes. @module */
import { notSupported } from './interface-error.js';
import { isIterable, listOf, oneOf, textOf } from './idl.js';
import { readImage, readSound } from './media-input.js';
import type { Service } from './service.js';
import { type ToolResponse, toCall, toResponse } from './tool-parts.js';
import type { ChatCall, ChatMessage, ChatPart } from './turn.js';

const ROLES = ['system', 'user', 'assistant'] as const;
export const INPUT_TYPES = ['text', 'image', 'audio', 'tool-response'] as const;
const PART_TYPES = [...INPUT_TYPES, 'tool-call'] as const;

type Part =
  | { type: 'text'; text: string }
  | { type: 'image'; url: Promise<string> }
  | { type: 'audio'; recording: Promise<Blob> }
  | { type: 'call'; call: ChatCall }
  | { type: 'response'; response: ToolResponse };

export interface InputMessage {
  role: (typeof ROLES)[number];
  parts: Part[];
  prefix: boolean;
}

/**
 * Images and sound are read now: what is drawn on a canvas later is not seen.
 * @param expected kinds of parts besides text that the session was created for
 * @throws TypeError, SyntaxError or NotSupportedError for what is not an input of the session
 */
export function readInput(input: unknown, expected: ReadonlySet<string>): InputMessage[] {
  if (!isIterable(input)) return [{ role: 'user', parts: [{ type: 'text', text: textOf(input) }], prefix: false }];
  const messages = listOf(input, 'input');
  return messages.map((message, index) => {
    const isLast = index === messages.length - 1;
    const read = readMessage(message, expected);
    if (read.role === 'system' && index > 0)
      throw new TypeError('The system message must be the first of the conversation.');
    if (read.prefix && !(isLast && read.role === 'assistant'))
      throw new DOMException('`prefix` belongs to the last message, of the assistant.', 'SyntaxError');
    return read;
  });
}

function readMessage(message: unknown, expected: ReadonlySet<string>): InputMessage {
  if (typeof message !== 'object' || message === null) throw new TypeError('A message must be an object.');
  const { role: named, content, prefix } = message as { role?: unknown; content?: unknown; prefix?: unknown };
  const role = oneOf(named, ROLES, 'role');
  if (content === undefined) throw new TypeError('A message needs `content`.');
  const parts: Part[] = isIterable(content)
    ? listOf(content, 'content').map((part) => readPart(part, role, expected))
    : [{ type: 'text', text: textOf(content) }];
  return { role, parts, prefix: Boolean(prefix) };
}

function readPart(part: unknown, role: InputMessage['role'], expected: ReadonlySet<string>): Part {
  if (typeof part !== 'object' || part === null) throw new TypeError('A part must be an object.');
  const { type: named, value } = part as { type?: unknown; value?: unknown };
  const type = oneOf(named, PART_TYPES, 'type');
  switch (type) {
    case 'text':
      if (typeof value !== 'string') throw new TypeError('The `value` of a text part must be a string.');
      return { type, text: value };
    case 'tool-call':
      if (role !== 'assistant') throw new TypeError('Tools are called by the assistant.');
      return { type: 'call', call: toCall(value) };
    case 'tool-response':
      if (role !== 'user') throw new TypeError('Tool responses must come from the user role.');
      return { type: 'response', response: toResponse(value) };
    case 'image':
    case 'audio':
      if (role !== 'user' || !expected.has(type))
        throw notSupported(
          `\`${type}\` is not expected here: \`expectedInputs\` must name it, and it must be in a user message.`,
        );
      return type === 'image' ? { type, url: readImage(value) } : { type, recording: readSound(value) };
  }
}

/** The messages that the model gets. Text parts beside each other are one. */
export async function toMessages(input: readonly InputMessage[], service: Service): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = [];
  for (const { role, parts } of input) {
    const content: ChatPart[] = [];
    const calls: ChatCall[] = [];
    for (const part of parts) {
      switch (part.type) {
        case 'text':
          addText(content, part.text);
          break;
        case 'image':
          content.push({ type: 'image_url', image_url: { url: await part.url } });
          break;
        case 'audio':
          // As the service itself does for models without ears.
          addText(content, await service.transcribe(await part.recording));
          break;
        case 'call':
          calls.push(part.call);
          break;
        case 'response':
          messages.push({ role: 'tool', tool_call_id: part.response.callId, content: part.response.text });
      }
    }
    const answersOnly = content.length === 0 && parts.length > 0 && parts.every(({ type }) => type === 'response');
    if (answersOnly) continue;
    const [only] = content;
    const isText = content.length === 0 || (content.length === 1 && only!.type === 'text');
    messages.push({
      role,
      content: isText ? (only?.type === 'text' ? only.text : '') : content,
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }
  return messages;
}

function addText(content: ChatPart[], text: string): void {
  const last = content.at(-1);
  if (last?.type === 'text') last.text += text;
  else content.push({ type: 'text', text });
}
