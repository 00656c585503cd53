/** Older WebLLM models describe their chat format in `conv_template` only. This writes it as a Jinja template. @module */
import type { ChatOptions } from '@mlc-ai/web-llm';

/** WebLLM's declaration of the format. */
export type ConversationTemplate = NonNullable<ChatOptions['conv_template']>;

/** What WebLLM puts after a role that the format gives no separator for. */
const DEFAULT_SEPARATOR = ': ';

/**
 * The same prompt that WebLLM would build: system template, then role, separator, message and end for each turn, then
 * the assistant's role alone. A leading system message takes the place of the format's own.
 * @param prefix text of the tokens that begin every prompt (`system_prefix_token_ids`)
 */
export function toChatTemplate(format: ConversationTemplate, prefix: string): string {
  const contentSeparator = format.role_content_sep ?? DEFAULT_SEPARATOR;
  const emptySeparator = format.role_empty_sep ?? DEFAULT_SEPARATOR;
  return [
    expression(literal(prefix)),
    statement(`set system = ${literal(format.system_message ?? '')}`),
    statement('set turns = messages'),
    statement("if messages[0].role == 'system'"),
    statement('set system = messages[0].content'),
    statement('set turns = messages[1:]'),
    statement('endif'),
    ...systemPrompt(format),
    statement(`set ends = [${format.seps.map(literal).join(', ')}]`),
    statement('for message in turns'),
    ...turn(format, contentSeparator),
    expression(`ends[loop.index0 % ${format.seps.length}]`),
    statement('endfor'),
    expression(literal(roleOf(format, 'assistant') + emptySeparator)),
  ].join('');
}

const PLACEHOLDERS = {
  system: '{system_message}',
  user: '{user_message}',
  assistant: '{assistant_message}',
  tool: '{tool_message}',
} as const;

/** Left out: tools are explained in the system message. */
const FUNCTIONS_PLACEHOLDER = '{function_string}';

type SpeakingRole = 'user' | 'assistant' | 'tool';

function systemPrompt(format: ConversationTemplate): string[] {
  const template = format.system_template.replaceAll(FUNCTIONS_PLACEHOLDER, '');
  const rendered = expression(filled(template, PLACEHOLDERS.system, 'system'));
  if (format.render_empty_system_message !== false) return [rendered];
  return [statement("if system != ''"), rendered, statement('endif')];
}

function turn(format: ConversationTemplate, separator: string): string[] {
  const templates = (format.role_templates ?? {}) as Partial<Record<SpeakingRole, string>>;
  const lines: string[] = [];
  const roles: readonly SpeakingRole[] = ['user', 'assistant', 'tool'];
  for (const [index, role] of roles.entries()) {
    const name = expression(literal(roleOf(format, role) + separator));
    const template = templates[role] ?? PLACEHOLDERS[role];
    const content = filled(template.replaceAll(FUNCTIONS_PLACEHOLDER, ''), PLACEHOLDERS[role], 'message.content');
    lines.push(
      statement(`${index === 0 ? 'if' : 'elif'} message.role == '${role}'`),
      ...(format.add_role_after_system_message === false
        ? [statement("if not (loop.first and system != '')"), name, statement('endif')]
        : [name]),
      expression(content),
    );
  }
  return [...lines, statement('endif')];
}

function roleOf(format: ConversationTemplate, role: SpeakingRole): string {
  const roles = format.roles as Partial<Record<SpeakingRole, string>>;
  return roles[role] ?? roles.user ?? role;
}

/** `text` with the placeholder replaced by the value of a variable, as a Jinja expression. */
function filled(text: string, placeholder: string, variable: string): string {
  const at = text.indexOf(placeholder);
  if (at < 0) return literal(text);
  return `${literal(text.slice(0, at))} + ${variable} + ${literal(text.slice(at + placeholder.length))}`;
}

function expression(source: string): string {
  return `{{- ${source} -}}`;
}

function statement(source: string): string {
  return `{%- ${source} -%}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function literal(text: string): string {
  return `'${text.replace(/[\\'\n\r\t]/g, (character) => ESCAPES[character]!)}'`;
}
