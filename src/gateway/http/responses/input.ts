/** The `input` of a response, a string or items in order: its schema, and the canonical messages that it becomes. @module */
import * as v from 'valibot';
import { object } from '../fields/json-object.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { AssistantMessage, ContentPart, Message } from '../../../core/request/message.js';
import { imagePartFromUrl } from '../fields/image-part.js';
import { refuseDeepJson } from '../validation/refuse-deep-json.js';
import { customArguments } from './custom-tool.js';
import { decodeBase64, encodeBase64 } from '../../../core/media/base64.js';

const inputPart = v.variant('type', [
  object({ type: v.literal('input_text'), text: v.string() }),
  object({ type: v.literal('output_text'), text: v.string() }),
  object({ type: v.literal('text'), text: v.string() }),
  object({ type: v.literal('refusal'), refusal: v.string() }),
  object({ type: v.literal('input_image'), image_url: v.string(), detail: v.nullish(v.string()) }),
]);

const content = v.union([v.string(), v.array(inputPart)]);

const messageItem = object({
  // Clients leave the type out when they write a conversation by hand.
  type: v.nullish(v.literal('message')),
  role: v.picklist(['user', 'assistant', 'system', 'developer']),
  content,
});

const reasoningItem = object({
  type: v.literal('reasoning'),
  summary: v.nullish(v.array(object({ text: v.string() }))),
  content: v.nullish(v.array(object({ text: v.string() }))),
  encrypted_content: v.nullish(v.string()),
});

const functionCallItem = object({
  type: v.literal('function_call'),
  call_id: v.string(),
  name: v.string(),
  arguments: v.string(),
});

const functionCallOutputItem = object({
  type: v.literal('function_call_output'),
  call_id: v.string(),
  output: content,
});

const customToolCallItem = object({
  type: v.literal('custom_tool_call'),
  call_id: v.string(),
  name: v.string(),
  input: v.string(),
});

const customToolCallOutputItem = object({
  type: v.literal('custom_tool_call_output'),
  call_id: v.string(),
  output: content,
});

const itemReference = object({ type: v.literal('item_reference'), id: v.string() });

const inputItem = v.variant('type', [
  messageItem,
  reasoningItem,
  functionCallItem,
  functionCallOutputItem,
  customToolCallItem,
  customToolCallOutputItem,
  itemReference,
]);

/** See the module. */
export const inputSchema = v.union([v.string(), v.pipe(v.array(inputItem), v.minLength(1))]);

export type ResponseInput = v.InferOutput<typeof inputSchema>;
type InputItem = v.InferOutput<typeof inputItem>;
/** An item that is itself there. */
export type SentItem = Exclude<InputItem, { type: 'item_reference' }>;
type InputPart = v.InferOutput<typeof inputPart>;
type InputContent = v.InferOutput<typeof content>;

/**
 * Every item itself, in order.
 * @param find an item that this engine made and still knows
 * @throws InferenceError `invalid_request` for a reference to any other
 */
export function resolveReferences(
  input: ResponseInput,
  find: (id: string) => SentItem | undefined,
): string | SentItem[] {
  if (typeof input === 'string') return input;
  return input.map((item, index) => {
    if (item.type !== 'item_reference') return item;
    const found = find(item.id);
    if (found) return found;
    const param = `input.${index}`;
    const message = `\`${param}\` refers to an item that is not kept here. Send the item itself: clients do with \`store: false\`.`;
    throw new InferenceError('invalid_request', message, { param });
  });
}

/**
 * The conversation, with the instructions first. Reasoning, text and calls that follow each other are one assistant
 * turn, as templates want it.
 * @throws InferenceError `invalid_media` for an image that is none
 */
export async function toMessages(
  instructions: string | null | undefined,
  input: string | readonly SentItem[],
): Promise<Message[]> {
  const messages: Message[] = [];
  if (instructions) messages.push({ role: 'system', content: [{ type: 'text', text: instructions }] });
  if (typeof input === 'string') return [...messages, { role: 'user', content: [{ type: 'text', text: input }] }];
  for (const [index, item] of input.entries()) await addItem(messages, item, `input.${index}`);
  return messages;
}

async function addItem(messages: Message[], item: SentItem, path: string): Promise<void> {
  switch (item.type) {
    case 'reasoning': {
      const turn = assistantTurn(messages, (last) => last.content.length === 0 && last.toolCalls.length === 0);
      turn.reasoning = (turn.reasoning ?? '') + thinkingOf(item);
      return;
    }
    case 'function_call': {
      const { call_id: id, name, arguments: argumentsText } = item;
      refuseDeepJson(argumentsText, `${path}.arguments`);
      assistantTurn(messages, () => true).toolCalls.push({ id, name, arguments: argumentsText });
      return;
    }
    case 'custom_tool_call': {
      const { call_id: id, name, input } = item;
      assistantTurn(messages, () => true).toolCalls.push({ id, name, arguments: customArguments(input) });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({
        role: 'tool',
        toolCallId: item.call_id,
        content: await toContent(item.output, `${path}.output`),
      });
      return;
    default:
      addMessage(messages, item.role, await toContent(item.content, `${path}.content`));
  }
}

/** The thinking itself, else what was carried for us, else its summary. */
function thinkingOf(item: Extract<SentItem, { type: 'reasoning' }>): string {
  const { content, summary, encrypted_content: carried } = item;
  if (content?.length) return joinTexts(content);
  return (carried == null ? undefined : readCarriedReasoning(carried)) ?? joinTexts(summary ?? []);
}

function joinTexts(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join('\n');
}

type Role = Extract<SentItem, { role: string }>['role'];

function addMessage(messages: Message[], role: Role, content: ContentPart[]): void {
  if (role === 'assistant') {
    assistantTurn(messages, (last) => last.content.length === 0 && last.toolCalls.length === 0).content = content;
  } else {
    messages.push({ role: role === 'user' ? 'user' : 'system', content });
  }
}

/** The last message, when it is an assistant's that may take more; else a new one. */
function assistantTurn(messages: Message[], mayContinue: (last: AssistantMessage) => boolean): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && mayContinue(last)) return last;
  const turn: AssistantMessage = { role: 'assistant', content: [], toolCalls: [] };
  messages.push(turn);
  return turn;
}

async function toContent(content: InputContent, path: string): Promise<ContentPart[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Promise.all(content.map((part, index) => toPart(part, `${path}.${index}`)));
}

async function toPart(part: InputPart, path: string): Promise<ContentPart> {
  if (part.type === 'input_image') return imagePartFromUrl(part.image_url, `${path}.image_url`, part.detail);
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}

/** Tells our strings from those of other services. */
const MARK = 'inpage.';

/** What `encrypted_content` says. It hides nothing: there is no key that the page's own engine could keep from the page. */
export function carryReasoning(text: string): string {
  return MARK + encodeBase64(new TextEncoder().encode(text));
}

/** The thinking that such a string carries; undefined for another service's, which nobody here can read. */
function readCarriedReasoning(content: string): string | undefined {
  const bytes = content.startsWith(MARK) ? decodeBase64(content.slice(MARK.length)) : undefined;
  return bytes && new TextDecoder().decode(bytes);
}
