/** The forms in which a conversation can be given to a template, which differ in what they accept. @module */
import {
  type TemplateMessage,
  type TemplateTool,
  withDescriptions,
  withoutSystemRole,
  withShortCallIds,
  withSingleCalls,
  withStringArguments,
  withTurns,
} from './template-messages.js';

/** A part of a message for templates that look into lists of parts. */
type TemplatePart = { type: 'text'; text: string } | { type: 'image' };

/** A message for templates that look into lists of parts. */
type VariedMessage = Omit<TemplateMessage, 'content'> & { content: string | TemplatePart[] };

/** @param mark stands for images; messages with one become lists of parts */
export type Reading = (messages: readonly TemplateMessage[], mark?: string) => readonly VariedMessage[];

type MessageForm = (messages: readonly TemplateMessage[]) => readonly TemplateMessage[];

/** As it is, and then in forms that stricter templates accept. */
const MESSAGE_FORMS: readonly MessageForm[] = [
  (messages) => messages,
  withShortCallIds,
  withStringArguments,
  withSingleCalls,
  withTurns,
  (messages) => withTurns(withShortCallIds(messages)),
];

const WITHOUT_SYSTEM: readonly MessageForm[] = [
  withoutSystemRole,
  (messages) => withoutSystemRole(withShortCallIds(messages)),
];

/** Which messages become lists of parts, besides those with images. */
const PARTS: readonly ((message: TemplateMessage) => boolean)[] = [
  () => false,
  () => true,
  ({ role }) => role !== 'tool',
  ({ role }) => role === 'user',
];

/** Groups of forms, by which messages become lists of parts. */
const groupsOf = (forms: readonly MessageForm[]): (readonly Reading[])[] =>
  PARTS.map((isParts) =>
    forms.map(
      (form) => (messages, mark) => form(messages).map((message) => withParts(message, mark, isParts(message))),
    ),
  );

/** Readings that keep the system role: of each group the first that a template accepts shows whether it keeps all words. */
export const SYSTEM_READINGS: readonly (readonly Reading[])[] = groupsOf(MESSAGE_FORMS);

/** All readings. */
export const READINGS: readonly (readonly Reading[])[] = [...SYSTEM_READINGS, ...groupsOf(WITHOUT_SYSTEM)];

function withParts(message: TemplateMessage, mark: string | undefined, always: boolean): VariedMessage {
  const texts = mark === undefined ? [message.content] : message.content.split(mark);
  if (texts.length === 1 && !always) return message;
  const content = texts.flatMap((text, index): TemplatePart[] => [
    ...(index > 0 ? [{ type: 'image' as const }] : []),
    ...(text !== '' || texts.length === 1 ? [{ type: 'text' as const, text }] : []),
  ]);
  return { ...message, content };
}

/** The forms of tools; null: none. */
export function toolReadings(tools: readonly TemplateTool[]): readonly (readonly (TemplateTool | string)[] | null)[] {
  if (tools.length === 0) return [null];
  // Some print each declaration as it is, which the template engine only does with text.
  return [tools, withDescriptions(tools), tools.map((tool) => JSON.stringify(tool))];
}
