/** The content of messages: blocks of text, images, tool use and its results, thinking. Their schemas, and their canonical form. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';
import type { AssistantMessage, ContentPart, Message, ToolMessage } from '../../../core/request/message.js';
import { imagePartFromBase64 } from '../fields/image-part.js';

const textBlock = object({ type: v.literal('text'), text: v.string() });

const imageBlock = object({
  type: v.literal('image'),
  source: v.variant('type', [
    object({
      type: v.literal('base64'),
      media_type: v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
      data: v.string(),
    }),
  ]),
});

const toolUseBlock = object({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  input: objectOf(v.unknown()),
});

/** Only text: nothing here reads PDF files. */
const documentBlock = object({
  type: v.literal('document'),
  source: v.variant('type', [
    object({ type: v.literal('text'), data: v.string() }),
    object({ type: v.literal('content'), content: v.union([v.string(), v.array(v.variant('type', [textBlock]))]) }),
  ]),
  title: v.nullish(v.string()),
  context: v.nullish(v.string()),
});

const searchResultBlock = object({
  type: v.literal('search_result'),
  source: v.string(),
  title: v.string(),
  content: v.array(textBlock),
});

const toolReferenceBlock = object({ type: v.literal('tool_reference'), tool_name: v.string() });

const resultBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock]);

const toolResultBlock = object({
  type: v.literal('tool_result'),
  tool_use_id: v.string(),
  content: v.nullish(v.union([v.string(), v.array(resultBlock)])),
  is_error: v.nullish(v.boolean()),
});

const thinkingBlock = object({ type: v.literal('thinking'), thinking: v.string() });

/** Thinking of another service, which nobody here can read. */
const redactedThinkingBlock = object({ type: v.literal('redacted_thinking') });

const userBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock]);
const assistantBlock = v.variant('type', [textBlock, toolUseBlock, thinkingBlock, redactedThinkingBlock]);

/** One turn of the conversation. A block that belongs to the other role is refused, not dropped. */
export const messageSchema = v.variant('role', [
  object({ role: v.literal('user'), content: v.union([v.string(), v.array(userBlock)]) }),
  object({ role: v.literal('assistant'), content: v.union([v.string(), v.array(assistantBlock)]) }),
]);

/** A string, or text blocks. */
export const systemSchema = v.union([v.string(), v.array(textBlock)]);

type MessageInput = v.InferOutput<typeof messageSchema>;
type UserBlockInput = v.InferOutput<typeof userBlock>;
type AssistantBlockInput = v.InferOutput<typeof assistantBlock>;
type ToolResultInput = v.InferOutput<typeof toolResultBlock>;
type ResultBlockInput = v.InferOutput<typeof resultBlock>;
type SystemInput = v.InferOutput<typeof systemSchema>;

/**
 * The conversation with its system prompt first. A user turn's tool results become tool messages of their own,
 * before the rest of the turn, because templates know no mixture.
 * @throws InferenceError `invalid_media` for an image that is none
 */
export async function toMessages(
  system: SystemInput | null | undefined,
  turns: readonly MessageInput[],
): Promise<Message[]> {
  const messages: Message[] = [];
  const systemContent = toTextParts(system ?? []);
  if (systemContent.length > 0) messages.push({ role: 'system', content: systemContent });
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant') messages.push(toAssistantMessage(turn.content));
    else messages.push(...(await toUserMessages(turn.content, `messages.${index}.content`)));
  }
  return messages;
}

function toTextParts(content: SystemInput): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map(({ text }) => ({ type: 'text', text }));
}

async function toUserMessages(content: string | readonly UserBlockInput[], path: string): Promise<Message[]> {
  if (typeof content === 'string') return [{ role: 'user', content: [{ type: 'text', text: content }] }];
  const results: ToolMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [index, block] of content.entries()) {
    if (block.type === 'tool_result') results.push(await toToolMessage(block, `${path}.${index}.content`));
    else parts.push(await toPart(block, `${path}.${index}`));
  }
  const isOnlyResults = parts.length === 0 && results.length > 0;
  return isOnlyResults ? results : [...results, { role: 'user', content: parts }];
}

async function toToolMessage(block: ToolResultInput, path: string): Promise<ToolMessage> {
  const content = block.content ?? '';
  if (typeof content === 'string') {
    return { role: 'tool', toolCallId: block.tool_use_id, content: [{ type: 'text', text: content }] };
  }
  const parts: ContentPart[] = [];
  for (const [index, part] of content.entries()) parts.push(await toPart(part, `${path}.${index}`));
  return { role: 'tool', toolCallId: block.tool_use_id, content: parts };
}

async function toPart(block: ResultBlockInput, path: string): Promise<ContentPart> {
  if (block.type === 'image') return imagePartFromBase64(block.source.data, `${path}.source.data`);
  return { type: 'text', text: toText(block) };
}

/** A block that models know only as text: what it is about, then what it says. */
function toText(block: Exclude<ResultBlockInput, { type: 'image' }>): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'document': {
      const { source } = block;
      return joinLines(block.title, block.context, source.type === 'text' ? source.data : joinTexts(source.content));
    }
    case 'search_result':
      return joinLines(block.title, block.source, joinTexts(block.content));
    case 'tool_reference':
      return block.tool_name;
  }
}

function joinLines(...lines: (string | null | undefined)[]): string {
  return lines.filter((line) => line != null && line !== '').join('\n');
}

function joinTexts(content: SystemInput): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

function toAssistantMessage(content: string | readonly AssistantBlockInput[]): AssistantMessage {
  const blocks: readonly AssistantBlockInput[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message: AssistantMessage = { role: 'assistant', content: [], toolCalls: [] };
  for (const block of blocks) {
    if (block.type === 'text') message.content.push({ type: 'text', text: block.text });
    else if (block.type === 'thinking') message.reasoning = (message.reasoning ?? '') + block.thinking;
    else if (block.type === 'tool_use') {
      message.toolCalls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) });
    }
  }
  return message;
}
