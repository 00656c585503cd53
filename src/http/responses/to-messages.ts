/** Input items as canonical messages. @module */
import { InferenceError } from '../../errors/inference-error.js';
import type { AssistantMessage, ContentPart, Message } from '../../request/message.js';
import { imagePartFromUrl } from '../media-parts/image-part.js';
import type { InputContent, InputItem, InputPart, ResponseInput } from './input-schema.js';

/**
 * The conversation, with the instructions first. Reasoning, text and calls that follow each other are one assistant
 * turn, as templates want it.
 * @throws InferenceError `invalid_media` for an image that is none; `invalid_request` for a reference to
 * an item that was never sent
 */
export async function toMessages(instructions: string | null | undefined, input: ResponseInput): Promise<Message[]> {
  const messages: Message[] = [];
  if (instructions) messages.push({ role: 'system', content: [{ type: 'text', text: instructions }] });
  if (typeof input === 'string') return [...messages, { role: 'user', content: [{ type: 'text', text: input }] }];
  for (const [index, item] of input.entries()) {
    if (item.type === 'item_reference') requireDispensable(item.id, input.slice(index + 1), `input.${index}`);
    else await addItem(messages, item, `input.${index}`);
  }
  return messages;
}

type SentItem = Exclude<InputItem, { type: 'item_reference' }>;

async function addItem(messages: Message[], item: SentItem, path: string): Promise<void> {
  switch (item.type) {
    case 'message':
      addMessage(messages, item.role, await toContent(item.content, `${path}.content`));
      return;
    case 'reasoning': {
      const parts = item.content?.length ? item.content : (item.summary ?? []);
      const turn = assistantTurn(messages, (last) => last.content.length === 0 && last.toolCalls.length === 0);
      turn.reasoning = (turn.reasoning ?? '') + parts.map(({ text }) => text).join('\n');
      return;
    }
    case 'function_call': {
      const { call_id: id, name, arguments: argumentsText } = item;
      assistantTurn(messages, () => true).toolCalls.push({ id, name, arguments: argumentsText });
      return;
    }
    case 'function_call_output':
      messages.push({
        role: 'tool',
        toolCallId: item.call_id,
        content: await toContent(item.output, `${path}.output`),
      });
  }
}

type Role = Extract<InputItem, { type: 'message' }>['role'];

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

/**
 * Some clients refer to what they believe is stored. Reasoning is not shown to the model again, and what it said before
 * a call that follows in full matters little; a whole answer would be missed.
 * @throws InferenceError `invalid_request`
 */
function requireDispensable(id: string, following: readonly InputItem[], path: string): void {
  const next = following.find(({ type }) => type !== 'item_reference');
  if (id.startsWith('rs_') || next?.type === 'function_call') return;
  throw new InferenceError(
    'invalid_request',
    `\`${path}\` refers to an item that is not stored. Send the item itself (clients do with \`store: false\`).`,
    { param: path },
  );
}

async function toContent(content: InputContent, path: string): Promise<ContentPart[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Promise.all(content.map((part, index) => toPart(part, `${path}.${index}`)));
}

async function toPart(part: InputPart, path: string): Promise<ContentPart> {
  if (part.type === 'input_image') return imagePartFromUrl(part.image_url, `${path}.image_url`);
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}
