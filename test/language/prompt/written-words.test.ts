/** What a template writes of a conversation is found out once for each shape of it. */
import { describe, expect, it, vi } from 'vitest';
import { ChatTemplate } from '../../../src/language/prompt/chat-template.js';
import type { TemplateMessage } from '../../../src/language/prompt/template-messages.js';
import { writtenWords } from '../../../src/language/prompt/written-words.js';

const LAST_ONLY = '{% for m in messages[-2:] %}{{ m.content }} {% endfor %}{% if tools %}{{ tools }}{% endif %}';

const turns = (...texts: string[]): TemplateMessage[] =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));

function probing(source: string) {
  const template = new ChatTemplate(source);
  const render = vi.spyOn(template, 'render');
  const written = (messages: TemplateMessage[], variables: Record<string, unknown> = {}) =>
    writtenWords(template, messages, { variables, read: (probed) => probed });
  return { render, written };
}

describe('words that a template writes', () => {
  it('are found out once for conversations that differ in their texts alone', () => {
    const { render, written } = probing(LAST_ONLY);
    const first = written(turns('One.', 'Two.', 'Three.'));
    expect(first).toEqual({ missing: 1, missesUser: true, inOrder: true });
    expect(written(turns('Something', 'else', 'altogether.'))).toEqual(first);
    expect(render).toHaveBeenCalledTimes(1);
  });

  it.each<[string, TemplateMessage[], Record<string, unknown>]>([
    ['a turn less', turns('One.', 'Two.'), {}],
    ['an empty text', turns('', 'Two.', 'Three.'), {}],
    ['other variables', turns('One.', 'Two.', 'Three.'), { tools: ['a'] }],
    ['a call', [...turns('One.', 'Two.'), { role: 'tool', content: 'Three.', tool_call_id: 'a' }], {}],
  ])('are found out anew for %s', (_, messages, variables) => {
    const { render, written } = probing(LAST_ONLY);
    written(turns('One.', 'Two.', 'Three.'));
    written(messages, variables);
    expect(render).toHaveBeenCalledTimes(2);
  });

  it('are told of each shape by itself', () => {
    const { written } = probing(LAST_ONLY);
    expect(written(turns('One.', 'Two.', 'Three.')).missing).toBe(1);
    expect(written(turns('One.', 'Two.'))).toEqual({ missing: 0, missesUser: false, inOrder: true });
    expect(written(turns('', 'Two.', 'Three.')).missing).toBe(0);
  });

  it('are found out again after many other shapes, and for a shape that is too long to be cached', () => {
    const { render, written } = probing('{{ messages[0].content }}');
    const asked = turns('One.');
    written(asked);
    for (let index = 0; index < 64; index++) written(asked, { index });
    written(asked);
    expect(render).toHaveBeenCalledTimes(66);
    for (let round = 0; round < 2; round++) written(asked, { text: 'long '.repeat(2000) });
    expect(render).toHaveBeenCalledTimes(68);
  });
});
