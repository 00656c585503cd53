/** The conversation in the shape that chat templates read. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ImagePart, Message, ToolCall } from '../../core/request/message.js';
import type { Tool } from '../../core/request/tool.js';

/** A call as templates know it: OpenAI's shape, arguments as an object where they parse. */
export interface TemplateToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: unknown };
}

/** A message as templates know it. Absent fields are truly absent, because templates ask `is defined`. */
export interface TemplateMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Images stand in it as marks. */
  content: string;
  reasoning_content?: string;
  tool_calls?: TemplateToolCall[];
  tool_call_id?: string;
  name?: string;
  /** The same as `reasoning_content`, as other templates call it. */
  thinking?: string;
  /** Declarations as JSON text, where templates look for them in the system message. */
  tools?: string;
}

/** A declaration as templates know it. */
export interface TemplateTool {
  type: 'function';
  function: { name: string; description?: string; parameters: unknown };
}

/**
 * Leading system messages become one; later ones stay in their place.
 * @param mark a character that stands for each image; absent: the model takes none
 * @throws InferenceError `unsupported_content` for audio, and for images that the model does not take
 */
export function templateMessages(messages: readonly Message[], mark?: string): TemplateMessage[] {
  const names = new Map<string, string>();
  const made: TemplateMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content = templateContent(message, index, mark);
    const [first] = made;
    if (message.role === 'system' && made.length === 1 && first?.role === 'system') {
      made[0] = joined(first, content);
    } else if (message.role === 'system') {
      made.push({ role: 'system', content, ...speaker(message) });
    } else if (message.role === 'user') {
      made.push({ role: 'user', content, ...speaker(message) });
    } else if (message.role === 'tool') {
      const name = names.get(message.toolCallId);
      made.push({ role: 'tool', content, tool_call_id: message.toolCallId, ...(name !== undefined && { name }) });
    } else {
      for (const call of message.toolCalls) names.set(call.id, call.name);
      made.push({
        role: 'assistant',
        content,
        ...speaker(message),
        ...withThought(message.reasoning),
        ...(message.toolCalls.length > 0 && { tool_calls: message.toolCalls.map(templateCall) }),
      });
    }
  }
  return made;
}

/** A thought under the names that templates know it by. */
export function withThought(thought: string | undefined): Pick<TemplateMessage, 'reasoning_content' | 'thinking'> {
  return thought ? { reasoning_content: thought, thinking: thought } : {};
}

/** A system message stands behind the first turn. */
export function hasLateSystem(messages: readonly TemplateMessage[]): boolean {
  return messages.some(({ role }, index) => role === 'system' && index > 0);
}

/** All system texts in one message at the start, because many templates look nowhere else. */
export function withLeadingSystem(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  if (!hasLateSystem(messages)) return messages;
  const [first, ...late] = messages.filter(({ role }) => role === 'system');
  const system = late.reduce((all, { content }) => joined(all, content), first!);
  return [system, ...messages.filter(({ role }) => role !== 'system')];
}

function joined(system: TemplateMessage, content: string): TemplateMessage {
  return { ...system, content: [system.content, content].filter((text) => text !== '').join('\n\n') };
}

/** Most templates do not look for it. */
function speaker({ name }: { name?: string }): { name?: string } {
  return name === undefined ? {} : { name };
}

/** The images of a conversation in the order of their marks: system messages come first. */
export function imagesOf(messages: readonly Message[]): ImagePart[] {
  const isSystem = ({ role }: Message): boolean => role === 'system';
  const ordered = [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
  return ordered.flatMap(({ content }) => content.filter((part) => part.type === 'image'));
}

/** Functions without parameters get an empty object, because templates print what is there. */
export function templateTools(tools: readonly Tool[]): TemplateTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: typeof parameters === 'object' ? parameters : { type: 'object', properties: {} },
    },
  }));
}

/** For templates that add the arguments to a string themselves. */
export function withStringArguments(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => {
    if (!message.tool_calls) return message;
    const calls = message.tool_calls.map((call) => {
      const given = call.function.arguments;
      return {
        ...call,
        function: { ...call.function, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
      };
    });
    return { ...message, tool_calls: calls };
  });
}

/** For templates that fail on a missing description. */
export function withDescriptions(tools: readonly TemplateTool[]): TemplateTool[] {
  return tools.map((tool) => ({
    ...tool,
    function: { description: '', ...tool.function, parameters: describedSchema(tool.function.parameters) },
  }));
}

function describedSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const described = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    if (key !== 'properties' || typeof value !== 'object' || value === null) return [key, value] as const;
    const properties = Object.entries(value).map(([name, property]: [string, unknown]) => [
      name,
      typeof property === 'object' && property !== null
        ? { description: '', ...(describedSchema(property) as object) }
        : property,
    ]);
    return [key, Object.fromEntries(properties) as unknown] as const;
  });
  return Object.fromEntries(described);
}

/** For templates that insist that user and assistant take turns: neighbours of one role become one message. */
export function withTurns(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const turns: TemplateMessage[] = [];
  for (const message of messages) {
    const { role, content } = message;
    const previous = turns.at(-1);
    if (previous && previous.role === role && role !== 'tool' && !previous.tool_calls && !message.tool_calls) {
      const { name, ...merged } = previous;
      // A turn that several people wrote has no single speaker.
      const speaks = name === message.name ? speaker(message) : {};
      turns[turns.length - 1] = { ...merged, ...speaks, content: `${previous.content}\n\n${content}` };
    } else {
      turns.push(message);
    }
  }
  return turns;
}

/** For templates that know no system role, most of which insist on turns, too. */
export function withoutSystemRole(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return withTurns(messages.map((message) => (message.role === 'system' ? { ...message, role: 'user' } : message)));
}

/**
 * For templates that write the system message in the last question, but only while nothing stands behind it: it becomes text
 * of that question.
 */
export function withSystemInQuestion(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const [system, ...turns] = messages;
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const question = turns[at];
  if (system?.role !== 'system' || !question) return messages;
  return turns.with(at, { ...question, content: joined(system, question.content).content });
}

/** For templates that take one call per message: each call is followed by its own result. */
export function withSingleCalls(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const single: TemplateMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    const { tool_calls: calls = [], ...plain } = message;
    if (calls.length < 2) {
      single.push(message);
      continue;
    }
    const results = resultsAt(messages, at + 1);
    for (const [index, call] of calls.entries()) {
      const rest: TemplateMessage = index === 0 ? plain : { role: plain.role, content: '' };
      single.push({ ...rest, tool_calls: [call] }, ...results.filter((result) => result.tool_call_id === call.id));
    }
    single.push(...results.filter((result) => !calls.some((call) => call.id === result.tool_call_id)));
    at += results.length;
  }
  return single;
}

/** The tool messages that stand together from an index on. */
function resultsAt(messages: readonly TemplateMessage[], start: number): TemplateMessage[] {
  const end = messages.findIndex((message, index) => index >= start && message.role !== 'tool');
  return messages.slice(start, end < 0 ? messages.length : end);
}

/** For templates that accept only ids of nine letters and digits. */
export function withShortCallIds(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const short = new Map<string, string>();
  const shorten = (id: string): string => {
    const known = short.get(id) ?? short.size.toString(36).padStart(9, '0');
    short.set(id, known);
    return known;
  };
  return messages.map((message) => ({
    ...message,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => ({ ...call, id: shorten(call.id) })) }),
    ...(message.tool_call_id !== undefined && { tool_call_id: shorten(message.tool_call_id) }),
  }));
}

function templateCall(call: ToolCall): TemplateToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: parsedArguments(call.arguments) } };
}

function parsedArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text.trim() === '' ? {} : text;
  }
}

function templateContent(message: Message, index: number, mark: string | undefined): string {
  let content = '';
  for (const part of message.content) {
    if (part.type === 'text') content += part.text;
    else if (part.type === 'image' && mark !== undefined) content += mark;
    else {
      const refused = part.type === 'image' ? 'images' : 'audio';
      const param = `messages.${index}.content`;
      throw new InferenceError('unsupported_content', `This model does not accept ${refused}.`, { param });
    }
  }
  return content;
}
