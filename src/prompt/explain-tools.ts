/** Tools for models whose chat template knows none: declared and written in the syntax that they are read in. @module */
import type { ToolSyntax, WrittenCall } from '../families/model-family.js';
import type { TemplateMessage, TemplateTool, TemplateToolCall } from './template-messages.js';

/** The same conversation with only system, user and assistant texts. */
export function withExplainedTools(
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
  syntax: ToolSyntax,
): TemplateMessage[] {
  const written = messages.map((message) => writeOut(message, syntax));
  if (tools.length === 0) return written;
  const [first, ...rest] = written;
  const declaration = declareTools(tools, syntax);
  if (first?.role !== 'system') return [{ role: 'system', content: declaration }, ...written];
  return [{ role: 'system', content: `${first.content}\n\n${declaration}` }, ...rest];
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

function writeOut(message: TemplateMessage, syntax: ToolSyntax): TemplateMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
  }
  if (!message.tool_calls) return message;
  const { tool_calls: calls, ...plain } = message;
  const text = syntax.write(calls.map(writtenCall));
  return { ...plain, content: [plain.content, text].filter((part) => part !== '').join('\n') };
}

function writtenCall({ function: { name, arguments: given } }: TemplateToolCall): WrittenCall {
  return { name, arguments: typeof given === 'string' ? given : (given as object) };
}
