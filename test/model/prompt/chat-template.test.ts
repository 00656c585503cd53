import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../src/model/prompt/chat-template.js';
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

  it.each(Object.entries(HUB_TEMPLATES))('has room for two thousand messages in %s', (_, { template }) => {
    const messages = Array.from({ length: 2_000 }, (__, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'Hello.',
    }));
    const variables = { messages, tools: null, add_generation_prompt: true, bos_token: '', eos_token: '' };
    expect(new ChatTemplate(template).render(variables)).toContain('Hello.');
  });
});
