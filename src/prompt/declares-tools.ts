/** Can a chat template write tool declarations? Its words do not tell: some only speak of tools. @module */
import { compiledTemplate } from './chat-templates.js';
import type { TemplateMessage, TemplateTool } from './template-messages.js';

/** A name that no template writes by itself. */
const PROBE_NAME = 'inpage_probe_7f3a';

const PROBE: TemplateTool = {
  type: 'function',
  function: {
    name: PROBE_NAME,
    description: 'A probe.',
    parameters: { type: 'object', properties: { value: { type: 'string', description: 'A value.' } }, required: [] },
  },
};

const QUESTION: TemplateMessage = { role: 'user', content: 'Hello.' };

/** The second is for templates that insist on a system message. */
const CONVERSATIONS: readonly (readonly TemplateMessage[])[] = [
  [QUESTION],
  [{ role: 'system', content: 'Be kind.' }, QUESTION],
];

const NO_TOKENS = { bos_token: '', eos_token: '', pad_token: '', unk_token: '' };

const known = new Map<string, boolean>();

/** The template writes a tool that it is given into the prompt. Found out by rendering once. */
export function declaresTools(chatTemplate: string): boolean {
  const answer = known.get(chatTemplate) ?? writesProbe(chatTemplate);
  known.set(chatTemplate, answer);
  return answer;
}

function writesProbe(chatTemplate: string): boolean {
  for (const messages of CONVERSATIONS) {
    try {
      const variables = { ...NO_TOKENS, messages, tools: [PROBE], add_generation_prompt: true };
      return compiledTemplate(chatTemplate).render(variables).includes(PROBE_NAME);
    } catch {
      // Refused: the next conversation.
    }
  }
  return false;
}
