/** Thoughts that stand in an answer's text, in the field that templates know. @module */
import { type TemplateMessage, withThought } from './template-messages.js';
import type { ThoughtTags } from './template-traits.js';

/** Answers whose text begins with a thought get it in a field of its own. Those that have one stay as they are. */
export function splitThoughts(messages: readonly TemplateMessage[], tags: ThoughtTags): TemplateMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.reasoning_content !== undefined) return message;
    const found = thoughtIn(message.content, tags);
    return found ? { ...message, content: found.text, ...withThought(found.thought) } : message;
  });
}

/** The tag that begins it may have stood in the prompt. */
function thoughtIn(content: string, { open, close }: ThoughtTags): { thought: string; text: string } | undefined {
  const end = content.indexOf(close.trim());
  if (end < 0) return undefined;
  const before = content.slice(0, end);
  const begin = before.indexOf(open.trim());
  if (begin >= 0 && before.slice(0, begin).trim() !== '') return undefined;
  const thought = before.slice(begin < 0 ? 0 : begin + open.trim().length).replace(/^\n+|\n+$/g, '');
  return { thought, text: content.slice(end + close.trim().length).replace(/^\n+/, '') };
}
