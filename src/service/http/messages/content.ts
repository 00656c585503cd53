/** The content of messages: blocks of text, images, tool use and its results, thinking. Their schemas, and their canonical form. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { pdfSource, urlSource } from '../fields/file-text.js';
import { foreignObject, isForeign } from '../fields/held-text.js';
import { object, objectOf } from '../fields/json-object.js';
import type { AssistantMessage, ContentPart, Message, ToolMessage } from '../../../core/request/message.js';
import type { RequestImages } from '../fields/request-images.js';

const textBlock = object({ type: v.literal('text'), text: v.string() });

const base64Image = object({
  type: v.literal('base64'),
  media_type: v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
  data: v.string(),
});

const toolUseBlock = object({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  input: objectOf(v.unknown()),
});

const textSource = object({ type: v.literal('text'), data: v.string() });
const blocksSource = object({
  type: v.literal('content'),
  content: v.union([v.string(), v.array(v.variant('type', [textBlock]))]),
});

/** A URL is refused in any case, so it says nothing about what comes out. */
const base64Source = v.variant('type', [base64Image]);
const imageSource = v.variant('type', [base64Image, urlSource]) as unknown as typeof base64Source;
const readSource = v.variant('type', [textSource, blocksSource, pdfSource]);
const documentSource = v.variant('type', [
  textSource,
  blocksSource,
  pdfSource,
  urlSource,
]) as unknown as typeof readSource;

const searchResultBlock = object({
  type: v.literal('search_result'),
  source: v.string(),
  title: v.string(),
  content: v.array(textBlock),
});

const toolReferenceBlock = object({ type: v.literal('tool_reference'), tool_name: v.string() });

const thinkingBlock = object({ type: v.literal('thinking'), thinking: v.string() });

/** Thinking that another service encrypted; it cannot be read here. */
const redactedThinkingBlock = object({ type: v.literal('redacted_thinking') });

const assistantBlock = v.variant('type', [textBlock, toolUseBlock, thinkingBlock, redactedThinkingBlock]);
const ASSISTANT_TYPES = new Set(assistantBlock.options.map(({ entries }) => entries.type.literal as string));

const ASSISTANT_BLOCKS = {
  refused: assistantBlock,
  read: v.lazy((block) => (isForeign(block, ASSISTANT_TYPES) ? foreignObject : assistantBlock)),
};

/** Blocks of the user, and of what the user's tools answered. */
function userBlocks({ foreignItems }: Compatibility) {
  const imageBlock = object({ type: v.literal('image'), source: imageSource });
  const documentBlock = object({
    type: v.literal('document'),
    source: documentSource,
    title: v.nullish(v.string()),
    context: v.nullish(v.string()),
  });
  const resultBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock]);
  const types = new Set(resultBlock.options.map(({ entries }) => entries.type.literal as string));
  const anyBlock = v.lazy((block) => (isForeign(block, types) ? foreignObject : resultBlock));
  const resultBlocks = { refused: resultBlock, read: anyBlock };
  const toolResultBlock = object({
    type: v.literal('tool_result'),
    tool_use_id: v.string(),
    content: v.nullish(v.union([v.string(), v.array(resultBlocks[foreignItems])])),
    is_error: v.nullish(v.boolean()),
  });
  const userBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock]);
  return { userBlock, resultBlock: anyBlock, toolResultBlock };
}

const systemMessage = object({ role: v.literal('system'), content: v.union([v.string(), v.array(textBlock)]) });

/** One turn of the conversation. A block that belongs to the other role is refused, not dropped. */
export function messageSchema(compatibility: Compatibility) {
  const { userBlock } = userBlocks(compatibility);
  const user = object({ role: v.literal('user'), content: v.union([v.string(), v.array(userBlock)]) });
  const block = ASSISTANT_BLOCKS[compatibility.foreignItems];
  const assistant = object({ role: v.literal('assistant'), content: v.union([v.string(), v.array(block)]) });
  return {
    refused: v.variant('role', [user, assistant]),
    read: v.variant('role', [user, assistant, systemMessage]),
  }[compatibility.systemTurns];
}

/** A string, or text blocks. */
export const systemSchema = v.union([v.string(), v.array(textBlock)]);

type MessageInput = v.InferOutput<ReturnType<typeof messageSchema>>;
type UserBlocks = ReturnType<typeof userBlocks>;
type UserBlockInput = v.InferOutput<UserBlocks['userBlock']>;
type AssistantBlockInput = v.InferOutput<(typeof ASSISTANT_BLOCKS)[keyof typeof ASSISTANT_BLOCKS]>;
type ToolResultInput = v.InferOutput<UserBlocks['toolResultBlock']>;
type ResultBlockInput = v.InferOutput<UserBlocks['resultBlock']>;
type SystemInput = v.InferOutput<typeof systemSchema>;

/**
 * The conversation with its system prompt first. A user turn's tool results become tool messages of their own,
 * before the rest of the turn, because templates do not know a mixture.
 * @param images takes the images
 * @throws InferenceError `invalid_media` for an image that is none
 */
export function toMessages(
  system: SystemInput | null | undefined,
  turns: readonly MessageInput[],
  images: RequestImages,
): Message[] {
  const messages: Message[] = [];
  const systemContent = toTextParts(system ?? []);
  if (systemContent.length > 0) messages.push({ role: 'system', content: systemContent });
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') messages.push({ role: 'system', content: toTextParts(turn.content) });
    else if (turn.role === 'assistant') messages.push(...toAssistantMessages(turn.content));
    else messages.push(...toUserMessages(turn.content, `messages.${index}.content`, images));
  }
  return messages;
}

/** Names of tools that searches of the client have found, in the order of the conversation. */
export function referencedTools(turns: readonly MessageInput[]): string[] {
  const blocks = turns.flatMap(({ role, content }) => (role === 'user' && typeof content !== 'string' ? content : []));
  const found = blocks.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content !== 'string' ? (block.content ?? []) : [],
  );
  return found.flatMap((block) => (block.type === 'tool_reference' ? [block.tool_name] : []));
}

function toTextParts(content: SystemInput): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content.map(({ text }) => ({ type: 'text', text }));
}

function toUserMessages(content: string | readonly UserBlockInput[], path: string, images: RequestImages): Message[] {
  if (typeof content === 'string') return [{ role: 'user', content: [{ type: 'text', text: content }] }];
  const results: ToolMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [index, block] of content.entries()) {
    if (block.type === 'tool_result') results.push(toToolMessage(block, `${path}.${index}.content`, images));
    else parts.push(toPart(block, `${path}.${index}`, images));
  }
  const isOnlyResults = parts.length === 0 && results.length > 0;
  return isOnlyResults ? results : [...results, { role: 'user', content: parts }];
}

function toToolMessage(block: ToolResultInput, path: string, images: RequestImages): ToolMessage {
  const content = block.content ?? '';
  if (typeof content === 'string') {
    return { role: 'tool', toolCallId: block.tool_use_id, content: [{ type: 'text', text: content }] };
  }
  const parts = content.map((part, index) => toPart(part, `${path}.${index}`, images));
  return { role: 'tool', toolCallId: block.tool_use_id, content: parts };
}

function toPart(block: ResultBlockInput, path: string, images: RequestImages): ContentPart {
  if (block.type === 'image') return images.fromBase64(block.source.data, `${path}.source.data`);
  if (block.type === 'document' && block.source.type === 'base64')
    return images.files.takePdf(block.source.data, [block.title, block.context], `${path}.source.data`);
  return { type: 'text', text: toText(block) };
}

/** A block that models know only as text: what it is about, then what it says. */
function toText(block: Exclude<ResultBlockInput, { type: 'image' }>): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'document': {
      const { source } = block;
      const said = source.type === 'content' ? joinTexts(source.content) : source.data;
      return joinLines(block.title, block.context, said);
    }
    case 'search_result':
      return joinLines(block.title, block.source, joinTexts(block.content));
    case 'foreign':
      return block.text;
    case 'tool_reference':
      // Several stand together.
      return `${block.tool_name}\n`;
  }
}

function joinLines(...lines: (string | null | undefined)[]): string {
  return lines.filter((line) => line != null && line !== '').join('\n');
}

function joinTexts(content: SystemInput): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

/** No turn where another service's blocks are all there is and nothing of them can be read. */
function toAssistantMessages(content: string | readonly AssistantBlockInput[]): AssistantMessage[] {
  const blocks: readonly AssistantBlockInput[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message: AssistantMessage = { role: 'assistant', content: [], toolCalls: [] };
  for (const block of blocks) {
    if (block.type === 'text') message.content.push({ type: 'text', text: block.text });
    else if (block.type === 'foreign') addLine(message.content, block.text);
    else if (block.type === 'thinking') message.reasoning = (message.reasoning ?? '') + block.thinking;
    else if (block.type === 'tool_use') {
      message.toolCalls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) });
    }
  }
  const isEmpty = message.content.length === 0 && message.toolCalls.length === 0 && message.reasoning === undefined;
  return isEmpty && blocks.some(({ type }) => type === 'foreign') ? [] : [message];
}

function addLine(content: ContentPart[], text: string): void {
  if (text !== '') content.push({ type: 'text', text: content.length > 0 ? `\n${text}` : text });
}
