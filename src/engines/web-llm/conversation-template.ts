/**
 * Older WebLLM models describe their chat format only in `conv_template`. This writes it as a Jinja chat template.
 * @module
 */
import type { ChatOptions } from '@mlc-ai/web-llm';

/** WebLLM's declaration of the format. */
export type ConversationTemplate = NonNullable<ChatOptions['conv_template']> & {
  /** MLC's name of the format; WebLLM does not declare it. */
  name?: string;
};

/** WebLLM's separator after a role, for formats without one. */
const DEFAULT_SEPARATOR = ': ';

export interface ConversationOptions {
  /** Text of the tokens that begin every prompt (`system_prefix_token_ids`). */
  prefix?: string;
  /** For formats with the date in their system message. */
  today?: Date;
}

/**
 * A template for the same prompt that WebLLM would build: system template, then role, separator, message and end for each
 * turn, then the assistant's role alone. A leading system message replaces the default one of the format. Where MLC's
 * format differs from the model's own chat template, the latter is followed: see {@link corrections}.
 */
export function toChatTemplate(
  given: ConversationTemplate,
  { prefix = '', today = new Date() }: ConversationOptions = {},
): string {
  const format = withDates(given, today);
  const { thought, systemInUserTurn, declaresTools } = corrections(format);
  const emptySeparator = format.role_empty_sep ?? DEFAULT_SEPARATOR;
  const assistant = roleOf(format, 'assistant');
  return [
    expression(literal(prefix)),
    statement(`set system = ${literal(format.system_message ?? '')}`),
    statement('set turns = messages'),
    statement("if messages[0].role == 'system'"),
    statement('set system = messages[0].content'),
    statement('set turns = messages[1:]'),
    statement('endif'),
    ...(systemInUserTurn ? [] : systemPrompt(format)),
    ...(declaresTools ? [declaredTools()] : []),
    statement(`set ends = [${format.seps.map(literal).join(', ')}]`),
    statement('for message in turns'),
    ...turn(format, systemInUserTurn, thought !== undefined, declaresTools),
    expression(`ends[loop.index0 % ${format.seps.length}]`),
    statement('endfor'),
    ...(thought
      ? generationPrompt(assistant, emptySeparator, thought)
      : [expression(literal(assistant + emptySeparator))]),
  ].join('');
}

/** How the answer of a reasoning model begins in the prompt: inside a thought, after an empty thought, or without one. */
type ThoughtDefault = 'open' | 'closed' | 'absent';

interface Corrections {
  /** Set for reasoning models: thoughts of earlier answers are left out, and `enable_thinking` is followed. */
  thought: ThoughtDefault | undefined;
  /** The model expects the system text inside the first user turn, but the format writes it before (Gemma). */
  systemInUserTurn: boolean;
  /** The format has a place for tools, and the model's syntax for them is known (Ministral 3). */
  declaresTools: boolean;
}

/**
 * What MLC's formats get wrong:
 * - `qwen3_5` has the opening tag of a thought in the assistant's role, so that earlier answers look like thoughts.
 * - `qwen3` and `deepseek_r1_*` do not mention thoughts, which then look like text.
 * - `gemma*_instruction` writes the system text before the first turn.
 * - `ministral3*` has a place for tools, which WebLLM leaves empty.
 */
function corrections(format: ConversationTemplate): Corrections {
  const name = format.name ?? '';
  const assistant = roleOf(format, 'assistant');
  let thought: ThoughtDefault | undefined;
  if (assistant.includes('<think>')) thought = assistant.includes('</think>') ? 'closed' : 'open';
  else if (/^(?:qwen3|deepseek_r1)/.test(name)) thought = 'absent';
  const isGemma = roleOf(format, 'user') === '<start_of_turn>user';
  return {
    thought,
    systemInUserTurn: isGemma && format.system_template === PLACEHOLDERS.system,
    declaresTools: format.system_template.includes('[/SYSTEM_PROMPT]' + FUNCTIONS_PLACEHOLDER),
  };
}

function generationPrompt(assistant: string, separator: string, thought: ThoughtDefault): string[] {
  const role = withoutThought(assistant);
  const open = `${role}\n<think>${separator}`;
  const closed = `${role}\n<think>\n\n</think>\n${separator}`;
  // A model that opens its thought itself gets nothing, unless thinking is disabled.
  const asked = thought === 'absent' ? role + separator : open;
  const silent = thought === 'closed' ? closed : asked;
  return [
    statement('if enable_thinking is defined and enable_thinking is false'),
    expression(literal(closed)),
    statement('elif enable_thinking is defined and enable_thinking'),
    expression(literal(asked)),
    statement('else'),
    expression(literal(silent)),
    statement('endif'),
  ];
}

/** The role of earlier answers. */
function withoutThought(role: string): string {
  return role.replace(/\n?<think>[\s\S]*$/, '');
}

/** Ministral's declaration of tools, at the same place as in its own template. */
function declaredTools(): string {
  return [
    statement('if tools'),
    expression("'[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]'"),
    statement('endif'),
  ].join('');
}

/** Fills in dates, which MLC leaves to the caller and WebLLM leaves as placeholders. */
function withDates(format: ConversationTemplate, today: Date): ConversationTemplate {
  const yesterday = new Date(today);
  yesterday.setDate(today.getDate() - 1);
  const message = (format.system_message ?? '')
    .replaceAll('{today}', isoDate(today))
    .replaceAll('{yesterday}', isoDate(yesterday));
  return { ...format, system_message: message };
}

function isoDate(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const PLACEHOLDERS = {
  system: '{system_message}',
  user: '{user_message}',
  assistant: '{assistant_message}',
  tool: '{tool_message}',
} as const;

/** Removed: tools are explained in the system message, except to models whose syntax for tools is known. */
const FUNCTIONS_PLACEHOLDER = '{function_string}';

type SpeakingRole = 'user' | 'assistant' | 'tool';

function systemPrompt(format: ConversationTemplate): string[] {
  const template = format.system_template.replaceAll(FUNCTIONS_PLACEHOLDER, '');
  const rendered = expression(filled(template, PLACEHOLDERS.system, 'system'));
  if (format.render_empty_system_message !== false) return [rendered];
  return [statement("if system != ''"), rendered, statement('endif')];
}

function turn(
  format: ConversationTemplate,
  systemInUserTurn: boolean,
  thinks: boolean,
  declaresTools: boolean,
): string[] {
  const separator = format.role_content_sep ?? DEFAULT_SEPARATOR;
  const templates = (format.role_templates ?? {}) as Partial<Record<SpeakingRole, string>>;
  const lines: string[] = [];
  const roles: readonly SpeakingRole[] = ['user', 'assistant', 'tool'];
  for (const [index, role] of roles.entries()) {
    const name = expression(literal(withoutThought(roleOf(format, role)) + separator));
    const template = templates[role] ?? PLACEHOLDERS[role];
    // Removes the thought of an earlier answer; without a closing tag the split changes nothing.
    const calls =
      thinks && role === 'assistant' ? "message.content.split('</think>')[-1].lstrip('\\n')" : 'message.content';
    const withCalls = declaresTools && role === 'assistant';
    const content = filled(
      template.replaceAll(FUNCTIONS_PLACEHOLDER, ''),
      PLACEHOLDERS[role],
      withCalls ? 'written.text' : calls,
    );
    lines.push(
      statement(`${index === 0 ? 'if' : 'elif'} message.role == '${role}'`),
      ...(format.add_role_after_system_message === false
        ? [statement("if not (loop.first and system != '')"), name, statement('endif')]
        : [name]),
      ...(systemInUserTurn && role === 'user'
        ? [statement("if loop.first and system != ''"), expression("system + '\\n\\n'"), statement('endif')]
        : []),
      ...(withCalls ? [writtenCalls(calls)] : []),
      expression(content),
    );
  }
  return [...lines, statement('endif')];
}

/** Text and tool calls of an earlier answer in Ministral's syntax. */
function writtenCalls(calls: string): string {
  const given = 'call.function.arguments';
  return [
    statement(`set written = namespace(text=${calls})`),
    statement('for call in message.tool_calls or []'),
    statement(`set json = ${given} if ${given} is string else ${given} | tojson`),
    statement("set written.text = written.text + '[TOOL_CALLS]' + call.function.name + '[ARGS]' + json"),
    statement('endfor'),
  ].join('');
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
