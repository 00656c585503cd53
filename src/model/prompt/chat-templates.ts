/** Which chat templates a model brings. Most have one; some have another for conversations with tools. @module */
import { ChatTemplate } from './chat-template.js';

/** Jinja sources. */
export interface ChatTemplates {
  /** Undefined for models without chat training. */
  chatTemplate: string | undefined;
  /** Only where the model has another template for tools; it may well refuse conversations without. */
  toolTemplate: string | undefined;
}

/** `chat_template` of `tokenizer_config.json`: one template, or several with names (as a list, or already as an object). */
export type ChatTemplateField =
  | string
  | readonly { name: string; template: string }[]
  | Readonly<Record<string, string>>
  | null
  | undefined;

/** The templates for plain conversations and for those with tools. */
export function chatTemplatesOf(field: ChatTemplateField): ChatTemplates {
  if (typeof field === 'string') return { chatTemplate: field, toolTemplate: undefined };
  const entries = Array.isArray(field)
    ? field.map(({ name, template }: { name: string; template: string }) => [name, template] as const)
    : Object.entries(field ?? {});
  const named = new Map<string, string>(entries);
  const [plain, tools] = [named.get('default'), named.get('tool_use')];
  return { chatTemplate: plain ?? tools, toolTemplate: plain === undefined ? undefined : tools };
}

const compiled = new Map<string, ChatTemplate>();

/** Compiles a template once. @throws SyntaxError of Jinja's */
export function compiledTemplate(source: string): ChatTemplate {
  const known = compiled.get(source);
  if (known) return known;
  const template = new ChatTemplate(source);
  compiled.set(source, template);
  return template;
}
