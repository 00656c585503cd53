/**
 * A conversation for a template that would drop some of it: what the template cannot write becomes text that it can, in the
 * syntax that the model's answers are read in.
 * @module
 */
import type { ToolSyntax } from '../families/model-family.js';
import {
  type TemplateMessage,
  type TemplateTool,
  type TemplateToolCall,
  withoutSystemRole,
  withSingleCalls,
  withStringArguments,
} from './template-messages.js';
import { type TemplateTraits, withToolField } from './template-traits.js';

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
  let adapted: readonly TemplateMessage[] = messages.map((message) => writeOut(message, traits, syntax));
  if (traits.textArguments) adapted = withStringArguments(adapted);
  if (!traits.severalCalls) adapted = withSingleCalls(adapted);
  if (explained) adapted = withSystem(adapted, (system) => withText(system, declareTools(tools, syntax)));
  else if (tools.length > 0) adapted = withDeclaringSystem(adapted, tools, traits);
  if (!traits.system) adapted = withoutSystemRole(adapted);
  return { messages: adapted, tools: explained || traits.tools === 'in-system' ? [] : tools };
}

/** For templates that declare tools only beside a system message. */
function withDeclaringSystem(
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
  { tools: place }: TemplateTraits,
): readonly TemplateMessage[] {
  if (place === 'always') return messages;
  return withSystem(messages, (system) => {
    if (place === 'in-system') return withToolField(system, tools);
    return place === 'with-system' && system.content === '' ? withText(system, 'You are a helpful assistant.') : system;
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

function writeOut(message: TemplateMessage, traits: TemplateTraits, syntax: ToolSyntax): TemplateMessage {
  if (message.role === 'tool') {
    // A template that knows nothing of tools prints the role of results by chance only.
    if (traits.results && (traits.calls || traits.tools !== 'never')) return message;
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
  }
  if (!message.tool_calls) return message;
  if (traits.calls && (traits.textBesideCalls || message.content === '')) return message;
  const { tool_calls: calls, ...plain } = message;
  return { ...plain, content: [plain.content, syntax.write(calls.map(writtenCall))].filter(Boolean).join('\n') };
}

function writtenCall({ function: { name, arguments: given } }: TemplateToolCall): {
  name: string;
  arguments: object | string;
} {
  return { name, arguments: typeof given === 'string' ? given : (given as object) };
}
