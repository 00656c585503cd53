/**
 * Adapts a conversation to a template that would drop parts of it: those parts become plain text, in the syntax of the
 * model's own answers.
 * @module
 */
import type { ToolSyntax } from '../families/format/model-family.js';
import {
  type TemplateMessage,
  type TemplateTool,
  type TemplateToolCall,
  withSingleCalls,
  withSystemInQuestion,
  withStringArguments,
} from './template-messages.js';
import { type TemplateHistory, type TemplateTraits, withToolField } from './template-traits.js';

/** What a template is given. */
export interface TemplateConversation {
  messages: readonly TemplateMessage[];
  tools: readonly TemplateTool[];
}

/** The same conversation for a template with these traits. Nothing is lost or said twice. */
export function adaptConversation(
  { messages, tools }: TemplateConversation,
  traits: TemplateTraits,
  syntax: ToolSyntax,
): TemplateConversation {
  const explained = tools.length > 0 && traits.tools === 'never';
  let adapted = writeOut(messages, traits, tools.length > 0 ? traits.history : traits.historyWithoutTools, syntax);
  if (traits.textArguments) adapted = withStringArguments(adapted);
  if (!traits.severalCalls) adapted = withSingleCalls(adapted);
  if (explained) adapted = withSystem(adapted, (system) => withText(system, declareTools(tools, syntax)));
  else if (tools.length > 0) adapted = withDeclaringSystem(adapted, tools, traits);
  if (traits.systemInQuestion && adapted.at(-1)?.role !== 'user') adapted = withSystemInQuestion(adapted);
  return { messages: adapted, tools: explained || traits.tools === 'in-system' ? [] : tools };
}

/** For templates that declare tools only beside a system message. */
function withDeclaringSystem(
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
  { tools: declared }: TemplateTraits,
): readonly TemplateMessage[] {
  if (declared === 'always') return messages;
  return withSystem(messages, (system) => {
    if (declared === 'in-system') return withToolField(system, tools);
    return declared === 'with-system' && system.content === ''
      ? withText(system, 'You are a helpful assistant.')
      : system;
  });
}

function withSystem(
  messages: readonly TemplateMessage[],
  change: (system: TemplateMessage) => TemplateMessage,
): TemplateMessage[] {
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [change(first), ...rest];
  return [change({ role: 'system', content: '' }), ...messages];
}

function withText(message: TemplateMessage, text: string): TemplateMessage {
  return { ...message, content: message.content === '' ? text : `${message.content}\n\n${text}` };
}

function declareTools(tools: readonly TemplateTool[], { instruction }: ToolSyntax): string {
  const lines = tools.map((tool) => JSON.stringify(tool)).join('\n');
  return [
    '# Tools',
    'You may call one or more of these functions to help with the request:',
    `<tools>\n${lines}\n</tools>`,
    instruction,
  ].join('\n');
}

/** Writes the calls and results that the template would drop as text. */
function writeOut(
  messages: readonly TemplateMessage[],
  traits: TemplateTraits,
  { calls: writesCalls, results: writesResults }: TemplateHistory,
  syntax: ToolSyntax,
): readonly TemplateMessage[] {
  // A template without tool support writes results only by chance.
  const keepsResults = writesResults && (writesCalls || traits.tools !== 'never');
  const asText = new Set<string | undefined>();
  return messages.map((message) => {
    if (message.role === 'tool') {
      if (keepsResults && (traits.resultsOfText || !asText.has(message.tool_call_id))) return message;
      return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
    }
    const { tool_calls: calls, ...plain } = message;
    if (!calls || (writesCalls && (traits.textBesideCalls || message.content === ''))) return message;
    for (const { id } of calls) asText.add(id);
    return { ...plain, content: [plain.content, syntax.write(calls.map(writtenCall))].filter(Boolean).join('\n') };
  });
}

function writtenCall({ function: { name, arguments: given } }: TemplateToolCall): {
  name: string;
  arguments: object | string;
} {
  return { name, arguments: typeof given === 'string' ? given : (given as object) };
}
