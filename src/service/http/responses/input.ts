/** The `input` of a response as the canonical messages that it becomes. @module */
import { type AssistantMessage, type ContentPart, type Message, textOf } from '../../../core/request/message.js';
import { customArguments } from '../fields/custom-tool.js';
import type { RequestImages } from '../fields/request-images.js';
import { refuseDeepJson } from '../validation/json-bounds.js';
import { earlierResultsText } from './results-text.js';
import { decodeOpaqueText } from './opaque-text.js';
import type { InputContent, InputPart, SentItem } from './input-schema.js';
import { publishedByCall, type PublishedCallType } from './published-tools.js';
import { type ToolInput, ToolSet } from './tools.js';

/** What a response reads: the items of those that it follows or of its conversation, and then its own. */
export interface ConversationInput {
  items: string | readonly SentItem[];
  /** How many of the items came before its own. */
  earlier: number;
  /** The field of the body that names them. */
  earlierParam: 'previous_response_id' | 'conversation';
}

/** The field of the body that an item came with. */
export function itemParam(index: number, { earlier, earlierParam }: ConversationInput): string {
  return index < earlier ? earlierParam : `input.${index - earlier}`;
}

/**
 * The conversation, with the instructions first. Reasoning, text and calls that follow each other are one assistant
 * turn, as templates want it.
 * @param images takes the images
 * @param tools say what the model knows called functions as
 * @param seen texts of files that the model reads anyway
 * @throws InferenceError `invalid_media` for an image that is none
 */
export function toMessages(
  instructions: string | null | undefined,
  input: ConversationInput,
  images: RequestImages,
  { tools = new ToolSet(), seen = new Set() }: { tools?: ToolSet; seen?: Set<string> } = {},
): Message[] {
  const messages: Message[] = [];
  if (instructions) messages.push({ role: 'system', content: [{ type: 'text', text: instructions }] });
  const { items } = input;
  if (typeof items === 'string') return [...messages, { role: 'user', content: [{ type: 'text', text: items }] }];
  for (const [index, item] of items.entries())
    addItem(messages, item, itemParam(index, input), { images, tools, seen });
  return messages;
}

/** What reading an item needs. */
interface InputContext {
  images: RequestImages;
  tools: ToolSet;
  /** Texts of files that stand elsewhere in the prompt. */
  seen: Set<string>;
}

function addItem(messages: Message[], item: SentItem, path: string, { images, tools, seen }: InputContext): void {
  switch (item.type) {
    case 'reasoning': {
      const turn = assistantTurn(messages, (last) => last.content.length === 0 && last.toolCalls.length === 0);
      turn.reasoning = (turn.reasoning ?? '') + thinkingOf(item);
      return;
    }
    case 'function_call': {
      const { call_id: id, arguments: argumentsText } = item;
      refuseDeepJson(argumentsText, `${path}.arguments`);
      const name = tools.nameOf(item.name, 'namespace' in item ? item.namespace : undefined);
      assistantTurn(messages, () => true).toolCalls.push({ id, name, arguments: argumentsText });
      return;
    }
    case 'custom_tool_call': {
      const { call_id: id, input } = item;
      const name = tools.nameOf(item.name, 'namespace' in item ? item.namespace : undefined);
      assistantTurn(messages, () => true).toolCalls.push({ id, name, arguments: customArguments(input) });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({
        role: 'tool',
        toolCallId: item.call_id,
        content: toContent(item.output, `${path}.output`, images),
      });
      return;
    case 'compaction':
      return addText(messages, 'user', summaryText(item.encrypted_content));
    case 'file_search_call':
      return addResults(messages, item, seen);
    case 'additional_tools':
      // Offered with those of the request.
      return;
    case 'foreign':
      return addText(messages, 'assistant', item.text);
    case 'message':
    case undefined:
    case null:
      return addMessage(messages, item.role, toContent(item.content, `${path}.content`, images));
    default:
      addPublishedItem(messages, item);
  }
}

/** What the model reads of a summary that was made here. */
const SUMMARY = 'Summary of the conversation so far:';

/** Empty for another service's, which no one here can read. */
function summaryText(carried: string): string {
  const summary = decodeOpaqueText(carried);
  return summary === undefined ? '' : `${SUMMARY}\n${summary}`;
}

/** Behind the text of the message that was searched for, each text once. */
function addResults(
  messages: Message[],
  { queries, results }: Extract<SentItem, { type: 'file_search_call' }>,
  seen: Set<string>,
): void {
  const asked = messages.findLast(({ role }) => role === 'user');
  // Here it is the text of the message.
  const others = (queries ?? []).filter((query) => !asked || !textOf(asked.content).includes(query));
  const read = (results ?? []).flatMap(({ filename, text }) => {
    if (text == null || seen.has(text)) return [];
    seen.add(text);
    return [{ filename, text }];
  });
  if (read.length === 0 && others.length === 0) return;
  const text = earlierResultsText(others, read);
  if (asked) asked.content.push({ type: 'text', text: `\n\n${text}` });
  else messages.push({ role: 'user', content: [{ type: 'text', text }] });
}

/** A turn of its own, or a further line of the assistant's; nothing when there is no text. */
function addText(messages: Message[], role: 'user' | 'assistant', text: string): void {
  if (text === '') return;
  if (role === 'user') return void messages.push({ role, content: [{ type: 'text', text }] });
  const { content } = assistantTurn(messages, ({ toolCalls }) => toolCalls.length === 0);
  content.push({ type: 'text', text: content.length > 0 ? `\n${text}` : text });
}

type PublishedItem = Extract<SentItem, { type: PublishedCallType | `${string}_call_output` | 'tool_search_output' }>;
type PublishedResult = Exclude<PublishedItem, { type: 'function_call_output' | 'custom_tool_call_output' }>;

/** Calls of tools with a published schema, as calls of their functions, and what came of them, as text. */
function addPublishedItem(messages: Message[], item: PublishedResult): void {
  const id = item.call_id ?? ('id' in item ? item.id : undefined);
  // A search that the other service made itself; the tools that it found are offered.
  if (id == null) return;
  const addCall = (given: unknown): void => {
    const call = { id, name: publishedByCall(item.type as PublishedCallType), arguments: JSON.stringify(given ?? {}) };
    assistantTurn(messages, () => true).toolCalls.push(call);
  };
  const addResult = (text: string): void =>
    void messages.push({ role: 'tool', toolCallId: id, content: [{ type: 'text', text }] });
  switch (item.type) {
    case 'apply_patch_call':
      return addCall(item.operation);
    case 'shell_call':
    case 'local_shell_call':
      return addCall(item.action);
    case 'tool_search_call':
      return addCall(item.arguments);
    case 'apply_patch_call_output':
      return addResult([item.status, item.output].filter(Boolean).join('\n'));
    case 'shell_call_output':
      return addResult(typeof item.output === 'string' ? item.output : item.output.map(shellText).join('\n'));
    case 'local_shell_call_output':
      return addResult(item.output);
    case 'tool_search_output':
      return addResult(`Found: ${item.tools.map(nameOfFound).join(', ')}`);
  }
}

type ShellOutput = Exclude<Extract<SentItem, { type: 'shell_call_output' }>['output'], string>[number];

function shellText({ stdout, stderr, outcome }: ShellOutput): string {
  const code = outcome?.exit_code;
  const end = outcome?.type === 'timeout' ? 'The time ran out.' : code ? `Exit code ${code}.` : '';
  return [stdout, stderr, end].filter(Boolean).join('\n');
}

function nameOfFound(tool: ToolInput): string {
  return 'name' in tool && typeof tool.name === 'string' ? tool.name : tool.type;
}

/** The thinking itself, else what was carried for us, else its summary. */
function thinkingOf(item: Extract<SentItem, { type: 'reasoning' }>): string {
  const { content, summary, encrypted_content: carried } = item;
  if (content?.length) return joinTexts(content);
  return (carried == null ? undefined : decodeOpaqueText(carried)) ?? joinTexts(summary ?? []);
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

function toContent(content: InputContent, path: string, images: RequestImages): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => toPart(part, `${path}.${index}`, images));
}

function toPart(part: InputPart, path: string, images: RequestImages): ContentPart {
  if (part.type === 'input_image') return images.fromUrl(part.image_url, `${path}.image_url`, part.detail);
  if (part.type === 'input_file') return images.files.take(part, path);
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}
