/** Late system texts in the prompts of all families. */
import { describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ContentPart, Message } from '../../../src/core/request/message.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { FAMILY_TEMPLATES, type FamilyTemplate } from '../families/support/templates.js';
import { tinyChatTokenizer } from './tiny-chat-tokenizer.js';

const tokenizer = tinyChatTokenizer();
const text = (value: string): ContentPart[] => [{ type: 'text', text: value }];
const system = (value: string): Message => ({ role: 'system', content: text(value) });
const user = (value: string): Message => ({ role: 'user', content: text(value) });
const answer = (value: string): Message => ({ role: 'assistant', content: text(value), toolCalls: [] });

const tools = [{ name: 'read_file', description: 'Wabout', parameters: { type: 'object' } }];

const CONVERSATIONS: [string, Message[]][] = [
  ['between turns', [system('Wlead'), user('Wask'), answer('Wsaid'), system('Wlate'), user('Wmore')]],
  ['at the end', [system('Wlead'), user('Wask'), system('Wlate')]],
  ['without a leading one', [user('Wask'), answer('Wsaid'), system('Wlate'), user('Wmore')]],
  ['twice', [user('Wask'), system('Wlate'), answer('Wsaid'), system('Wlast'), user('Wmore')]],
];

function render(family: FamilyTemplate, messages: Message[]): string {
  const own: TextTokenizer = {
    ...tokenizer,
    chatTemplate: family.template,
    ...(family.toolTemplate !== undefined && { toolTemplate: family.toolTemplate }),
    templateVariables: { bos_token: '<s>', eos_token: '</s>' },
  };
  const request = { ...plainGenerationRequest('m', { type: 'chat', messages }), tools };
  const { tokens } = renderPrompt(request, own, family);
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...own.bytesOf(token)])));
}

describe.each(FAMILY_TEMPLATES)('$models', (family) => {
  it.each(CONVERSATIONS)('[G09] a system text %s stands in the prompt once, in order', (_, messages) => {
    const prompt = render(family, messages);
    const words = ['Wlead', 'Wlate', 'Wlast', 'Wask', 'Wsaid', 'Wmore'].filter((word) =>
      JSON.stringify(messages).includes(`"${word}"`),
    );
    const counts = words.map((word) => prompt.split(word).length - 1);
    expect({ prompt, counts }).toEqual({ prompt, counts: words.map(() => 1) });
    const systems = words.filter((word) => word.startsWith('Wl'));
    expect(systems.toSorted((a, b) => prompt.indexOf(a) - prompt.indexOf(b))).toEqual(systems);
  });
});

describe('late system texts', () => {
  const turns = "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% endfor %}";
  const firstOnly =
    "{% if messages[0].role == 'system' %}{{ '[system]' + messages[0].content }}{% set messages = messages[1:] %}{% endif %}" +
    "{% for m in messages if m.role != 'system' %}{{ '[' + m.role + ']' + m.content }}{% endfor %}";
  const noSystem = `{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('No system.') }}{% endif %}{{ '[' + m.role + ']' + m.content }}{% endfor %}`;
  const collected =
    "{% for m in messages if m.role == 'system' %}{{ '[system]' + m.content }}{% endfor %}" +
    "{% for m in messages if m.role != 'system' %}{{ '[' + m.role + ']' + m.content }}{% endfor %}";
  const conversation = [system('Wlead'), user('Wask'), answer('Wsaid'), system('Wlate'), user('Wmore')];
  const rendered = (template: string): string => {
    const own = { ...tokenizer, chatTemplate: template };
    const request = plainGenerationRequest('m', { type: 'chat', messages: conversation });
    const { tokens } = renderPrompt(request, own, { toolFormat: 'hermes', reasoningFormat: 'none' });
    return new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...own.bytesOf(token)])));
  };

  it.each([
    [
      'stay in place where the template writes every turn',
      turns,
      '[system]Wlead[user]Wask[assistant]Wsaid[system]Wlate[user]Wmore',
    ],
    [
      'come to the front where the template drops them',
      firstOnly,
      '[system]Wlead\n\nWlate[user]Wask[assistant]Wsaid[user]Wmore',
    ],
    [
      'come to the front where the template writes them there',
      collected,
      '[system]Wlead\n\nWlate[user]Wask[assistant]Wsaid[user]Wmore',
    ],
    [
      'belong to the first turn where there is no system role',
      noSystem,
      '[user]Wlead\n\nWlate\n\nWask[assistant]Wsaid[user]Wmore',
    ],
  ])('[G09] %s', (_, template, prompt) => {
    expect(rendered(template)).toBe(prompt);
  });
});
