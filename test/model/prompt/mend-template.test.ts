import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatTemplate } from '../../../src/model/prompt/chat-template.js';

describe('templates as Python’s Jinja renders them', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(2026, 1, 3, 15, 4, 5) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const loop = (body: string): string => `{% for x in [1, 2, 3] %}${body}{% endfor %}`;

  it.each([
    ['output before continue', loop('a{% if x == 2 %}b{% continue %}{% endif %}{{ x }} '), 'a1 aba3 '],
    ['continue in the other branch', loop('{% if x == 2 %}b{% else %}c{% continue %}{% endif %}{{ x }}'), 'cb2c'],
    [
      'continue in two places',
      loop(
        '{% if x > 1 %}{% if x > 2 %}c{% continue %}{% endif %}b{% endif %}{{ x }}{% if x == 1 %}!{% continue %}{% endif %}.',
      ),
      '1!b2.c',
    ],
    [
      'a loop in a loop',
      loop(`${loop('{{ x }}{% continue %}no')}{% if x == 1 %};{% continue %}{% endif %}-`),
      '123;123-123-',
    ],
    ['the name of the day', "{{ strftime_now('%A, %d %B %Y') }}", 'Tuesday, 03 February 2026'],
    [
      'short names and numbers',
      "{{ strftime_now('%a %b %-d %y %j %I:%M:%S %p %H%%') }}",
      'Tue Feb 3 26 034 03:04:05 PM 15%',
    ],
    ['strftime_now is defined', '{{ 1 if strftime_now is defined }}', '1'],
    ['min and max', '{{ [3, 1, 2] | min }} {{ [3, 1, 2] | max }}', '1 3'],
    ['is sameas', '{{ 1 if x is sameas true }}{{ 2 if x is sameas(false) }}{{ 3 if x is not sameas none }}', '13'],
    ['ensure_ascii', "{{ 'ä' | tojson(ensure_ascii=true) }}", '"ä"'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render({ x: true })).toBe(output);
  });
});
