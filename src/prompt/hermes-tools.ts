/** Tools for models whose chat template knows none: declared and written in the Hermes syntax. @module */
import type { TemplateMessage, TemplateTool } from './template-messages.js';

/** The same conversation with only system, user and assistant texts. */
export function withHermesTools(
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
): TemplateMessage[] {
  const written = messages.map(writeOut);
  if (tools.length === 0) return written;
  const [first, ...rest] = written;
  const declaration = declareTools(tools);
  if (first?.role !== 'system') return [{ role: 'system', content: declaration }, ...written];
  return [{ role: 'system', content: `${first.content}\n\n${declaration}` }, ...rest];
}

function declareTools(tools: readonly TemplateTool[]): string {
  const lines = tools.map((tool) => JSON.stringify(tool)).join('\n');
  return [
    '# Tools',
    'You may call one or more of these functions to help with the request:',
    `<tools>\n${lines}\n</tools>`,
    'Write each call as a JSON object with the function name and its arguments, between tags:',
    '<tool_call>\n{"name": <function name>, "arguments": <arguments as a JSON object>}\n</tool_call>',
  ].join('\n');
}

function writeOut(message: TemplateMessage): TemplateMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
  }
  if (!message.tool_calls) return message;
  const { tool_calls: calls, ...plain } = message;
  const texts = calls.map(({ function: { name, arguments: given } }) => {
    const json = typeof given === 'string' ? given : JSON.stringify(given);
    return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n</tool_call>`;
  });
  return { ...plain, content: [plain.content, ...texts].filter((text) => text !== '').join('\n') };
}
