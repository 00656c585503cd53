import { describe, expect, it, vi } from 'vitest';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import { ChatTemplate } from '../../../src/language/prompt/chat-template.js';
import { HUB_TEMPLATES } from './hub-templates.js';

describe('ChatTemplate', () => {
  it('writes loops and macros as they are', () => {
    const template = new ChatTemplate(
      '{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{% for m in messages %}{{ twice(m) }}{% else %}none{% endfor %}',
    );
    expect(template.render({ messages: ['a', 'b'] })).toBe('aabb');
    expect(template.render({ messages: [] })).toBe('none');
  });

  it.each([
    ['loops inside loops', '{% for a in list %}{% for b in list %}{{ b }}{% endfor %}{% endfor %}'],
    [
      'loops that write nothing',
      '{% for a in list %}{% for b in list %}{% for c in list %}{% endfor %}{% endfor %}{% endfor %}',
    ],
  ])('ends %s', (_, source) => {
    const list = Array.from({ length: 5_000 }, (__, index) => index);
    expect(() => new ChatTemplate(source).render({ list })).toThrow(/loop too often/);
  });

  const again = (times: number, body: string): string =>
    `{% set ns = namespace(x='a', l=[1]) %}{% for i in range(${times}) %}${body}{% endfor %}{{ ns.x }}`;
  const ended = (source: string): unknown => {
    try {
      return new ChatTemplate(source).render({ list: [] });
    } catch (error) {
      return isInferenceError(error) && [error.code, error.param];
    }
  };

  it.each([
    ['a text that doubles', again(40, '{% set ns.x = ns.x + ns.x %}')],
    ['a text that doubles by ~', again(40, '{% set ns.x = ns.x ~ ns.x %}')],
    ['a list that doubles', again(40, '{% set ns.l = ns.l + ns.l %}')],
    ['output without end', again(150_000, 'a word, a word')],
    ['a long range', '{% set l = range(2000000000) %}'],
    ['a long range downwards', '{% set l = range(0, -2000000000, -1) %}'],
    [
      'a macro that calls itself twice',
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(30) }}',
    ],
  ])('ends %s', (_, source) => {
    expect(ended(source)).toEqual(['invalid_request', 'messages']);
  });

  it('ends what takes too long', () => {
    const clock = vi.spyOn(performance, 'now');
    let now = 0;
    clock.mockImplementation(() => (now += 1_000));
    expect(ended(again(100_000, ''))).toEqual(['invalid_request', 'messages']);
    clock.mockRestore();
  });

  it('lets a client overwrite no function and no constant', () => {
    const given = { range: 'a', true: false, namespace: 1, raise_exception: 1 };
    expect(new ChatTemplate('{{ range(2) }}{{ true }}{% set ns = namespace(a=1) %}{{ ns.a }}').render(given)).toBe(
      '[0, 1]True1',
    );
  });

  it.each(Object.entries(HUB_TEMPLATES))('writes a prompt of 30,000 tokens with %s', (_, { template }) => {
    const word = 'antidisestablishmentarianism ';
    const messages = Array.from({ length: 20 }, (__, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: word.repeat(300),
    }));
    const variables = { messages, tools: null, add_generation_prompt: true, bos_token: '', eos_token: '' };
    expect(new ChatTemplate(template).render(variables).length).toBeGreaterThan(150_000);
  });

  it.each(Object.entries(HUB_TEMPLATES))('has room for two thousand messages in %s', (_, { template }) => {
    const messages = Array.from({ length: 2_000 }, (__, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'Hello.',
    }));
    const variables = { messages, tools: null, add_generation_prompt: true, bos_token: '', eos_token: '' };
    expect(new ChatTemplate(template).render(variables)).toContain('Hello.');
  });
});
