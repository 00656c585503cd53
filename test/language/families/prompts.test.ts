import { describe, expect, it } from 'vitest';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ContentPart, Message } from '../../../src/core/request/message.js';
import { tinyChatTokenizer } from '../prompt/tiny-chat-tokenizer.js';
import { FAMILY_TEMPLATES, type FamilyTemplate } from './support/templates.js';

const tokenizer = tinyChatTokenizer();
const text = (value: string): ContentPart[] => [{ type: 'text', text: value }];
const user = (value: string): Message => ({ role: 'user', content: text(value) });
const system: Message = { role: 'system', content: text('Wsystem') };

const call = (id: string, name: string, value: string) => ({ id, name, arguments: JSON.stringify({ value }) });
const result = (toolCallId: string, value: string): Message => ({ role: 'tool', toolCallId, content: text(value) });
const answer = (value: string, ...toolCalls: ReturnType<typeof call>[]): Message => ({
  role: 'assistant',
  content: value === '' ? [] : text(value),
  toolCalls,
});

const tools = ['one', 'two'].map((name) => ({
  name: `Wtool${name}`,
  description: `Wabout${name}`,
  parameters: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
}));

const CONVERSATIONS: [string, Message[], words: string[][]][] = [
  ['a question', [user('Wfirst')], [['Wfirst']]],
  ['system and user', [system, user('Wfirst')], [['Wsystem', 'Wfirst']]],
  [
    'several turns',
    [system, user('Wfirst'), answer('Wsaid'), user('Wlast')],
    [['Wsystem', 'Wfirst', 'Wsaid', 'Wlast']],
  ],
  [
    'a call and its result',
    [
      user('Wfirst'),
      answer('', call('call_1', 'Wtoolone', 'Wgiven')),
      result('call_1', 'Wgot'),
      answer('Wsaid'),
      user('Wlast'),
    ],
    [['Wfirst', 'Wgiven', 'Wgot', 'Wsaid', 'Wlast']],
  ],
  [
    'text beside a call',
    [
      system,
      user('Wfirst'),
      answer('Wbeside', call('call_1', 'Wtoolone', 'Wgiven')),
      result('call_1', 'Wgot'),
      answer('Wsaid'),
      user('Wlast'),
    ],
    [
      ['Wsystem', 'Wfirst', 'Wgiven', 'Wgot', 'Wsaid', 'Wlast'],
      ['Wfirst', 'Wbeside', 'Wgot'],
    ],
  ],
  [
    'two calls in one answer',
    [
      system,
      user('Wfirst'),
      answer('', call('call_1', 'Wtoolone', 'Wgiven'), call('call_2', 'Wtooltwo', 'Wother')),
      result('call_1', 'Wgot'),
      result('call_2', 'Wfound'),
      answer('Wsaid'),
      user('Wlast'),
    ],
    [
      ['Wsystem', 'Wfirst', 'Wgiven', 'Wgot', 'Wsaid', 'Wlast'],
      ['Wfirst', 'Wother', 'Wfound', 'Wsaid'],
    ],
  ],
  [
    'a result that is last',
    [system, user('Wfirst'), answer('', call('call_1', 'Wtoolone', 'Wgiven')), result('call_1', 'Wgot')],
    [['Wsystem', 'Wfirst', 'Wgiven', 'Wgot']],
  ],
];

function render(family: FamilyTemplate, messages: Message[], more: Partial<GenerationRequest> = {}) {
  const own: TextTokenizer = {
    ...tokenizer,
    chatTemplate: family.template,
    ...(family.toolTemplate !== undefined && { toolTemplate: family.toolTemplate }),
    templateVariables: { bos_token: '<s>', eos_token: '</s>' },
  };
  const request = { ...plainGenerationRequest('m', { type: 'chat', messages }), ...more };
  const { tokens, reasoningOpen } = renderPrompt(request, own, family);
  const bytes = Uint8Array.from(tokens.flatMap((token) => [...own.bytesOf(token)]));
  return { prompt: new TextDecoder().decode(bytes), reasoningOpen };
}

function expectWords({ lateSystem }: FamilyTemplate, prompt: string, all: readonly string[][]): void {
  const words = lateSystem ? all.map((order) => order.filter((word) => word !== 'Wsystem')) : all;
  const counts = Object.fromEntries(all.flat().map((word) => [word, prompt.split(word).length - 1]));
  const once = Object.fromEntries(Object.keys(counts).map((word) => [word, 1]));
  const orders = words.map((order) => order.toSorted((a, b) => prompt.indexOf(a) - prompt.indexOf(b)));
  expect({ prompt, counts, orders }).toEqual({ prompt, counts: once, orders: words });
}

describe.each(FAMILY_TEMPLATES)('prompts of $models', (family) => {
  it('shows its formats', () => {
    expect(detectToolFormat(family.toolTemplate ?? family.template)).toBe(family.toolFormat);
    expect(detectReasoningFormat(family.template)).toBe(family.reasoningFormat);
  });

  it.each(CONVERSATIONS)('%s: every word once and in order', (_, messages, words) => {
    for (const enabled of [undefined, true, false]) {
      const reasoning = enabled === undefined ? {} : { enabled };
      expectWords(family, render(family, messages, { reasoning }).prompt, words);
      const offered = render(family, messages, { reasoning, tools }).prompt;
      expectWords(family, offered, [...words, ['Waboutone', 'Wabouttwo']]);
    }
  });

  it.each(CONVERSATIONS.filter(([name]) => family.nativeHistory && /result/.test(name)))(
    '%s: in the words of the template',
    (_, messages) => {
      for (const offered of [[], tools]) {
        const { prompt } = render(family, messages, { tools: offered });
        for (const words of family.nativeHistory!) expect(prompt).toContain(words);
      }
    },
  );

  it('opens its thoughts as the template does', () => {
    const thinks = render(family, [user('Wfirst')], { reasoning: { enabled: true } });
    expect(thinks.reasoningOpen).toBe(family.opensThought === true);
  });
});
