/** Input items as canonical messages. @module */
import type { AssistantMessage, ContentPart, Message } from '../../../core/request/message.js';
import { imagePartFromUrl } from '../fields/image-part.js';
import { readCarriedReasoning } from './carried-reasoning.js';
import { customArguments } from './custom-tool.js';
import type { InputContent, InputPart, SentItem } from './input-schema.js';

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
