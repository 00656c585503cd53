/** Late system texts in the prompts of all families. */
import { describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import type { ContentPart, Message } from '../../../../src/core/request/message.js';
import { COMPATIBILITY } from '../../../../src/gateway/http/policy/compatibility.js';
import { arrangeSystemTexts } from '../../../../src/gateway/http/generation/generate.js';
import { renderPrompt } from '../../../../src/model/prompt/render-prompt.js';
import type { TextTokenizer } from '../../../../src/model/prompt/text-tokenizer.js';
import { FAMILY_TEMPLATES, type FamilyTemplate } from '../../../../test/model/families/support/templates.js';
import { tinyChatTokenizer } from '../../../../test/model/prompt/tiny-chat-tokenizer.js';

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
  const { tokens } = renderPrompt(arrangeSystemTexts(request, COMPATIBILITY.hosted), own, family);
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
