import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';

describe('loops that are left, dates and functions, as in Python', () => {
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
    ['output before break', loop('a{% if x == 2 %}b{% break %}{% endif %}{{ x }} '), 'a1 ab'],
    [
      'break and continue',
      loop('{% if x == 1 %}a{% continue %}{% elif x == 2 %}{{ x }}{% break %}{% else %}c{% endif %}d'),
      'a2',
    ],
    ['break in the first pass', loop('a{% break %}b'), 'a'],
    ['break in a loop in a loop', loop(`${loop('{{ x }}{% if x == 2 %}{% break %}{% endif %}')};`), '12;12;12;'],
    [
      'break in both loops',
      loop(`${loop('{{ x }}{% if x == 2 %}-{% break %}{% endif %}')}{% if x == 2 %}!{% break %}{% endif %};`),
      '12-;12-!',
    ],
    ['a boolean and nothing', '{{ true }} {{ False }} {{ none }} {{ missing }} {{ 1.0 }}', 'True False None  1.0'],
    [
      'lists and objects as text',
      `{{ [1, 'a', true, none, "it's", 'a\nb"'] }} {{ {'a': false, 'b': (1, 2.5)} }}`,
      `[1, 'a', True, None, "it's", 'a\\nb"'] {'a': False, 'b': (1, 2.5)}`,
    ],
    ['values that become text', "{{ 'a' ~ true ~ none ~ [1] }} {{ [x, 'b'] | string }}", "aTrueNone[1] [True, 'b']"],
    ['values that are joined', "{{ [true, none, 1] | join('|') }} {{ 'abc' | join(',') }}", 'True|None|1 a,b,c'],
    ['JSON of the same', '{{ {"a": [true, none, 1.5]} | tojson }}', '{"a": [true, null, 1.5]}'],
    ['integer keys', "{% set d = {1: 'a', 2: 'b'} %}{{ d[1] }}{{ d[1 + 1] }}{{ d.get(2) }}{{ d.get(3, 'c') }}", 'abbc'],
    ['integer keys asked for', '{% set d = {1: 0} %}{{ 1 in d }} {{ 2 in d }} {{ 2 not in d }}', 'True False True'],
    ['places in lists and texts', "{% set d = {'a': [1, 2]} %}{{ d['a'][-1] }}{{ d.a[0] }}{{ 'xyz'[1] }}", '21y'],
    [
      'marks at the ends of a text',
      "{{ '\n  x\n'.lstrip('\n') }}|{{ 'xxaxx'.strip('x') }}|{{ ' a-- '.rstrip('- ') }}|{{ ' a '.strip() }}",
      '  x\n|a| a|a',
    ],
    [
      'texts with fields',
      "{{ 'a{}b{}'.format(1, 'x') }} {{ '{0}{0}{n}'.format('z', n=true) }} {{ '%s-%d%%' % ('a', 3) }} {{ '%.2f' | format(3.14159) }}",
      'a1bx zzTrue a-3% 3.14',
    ],
    [
      'texts and lists again and again',
      "{{ '-' * 3 }}{{ 2 * 'ab' }}{{ [0] * 2 }}{{ 2 * 3 }}{{ 7 % 4 }}",
      '---abab[0, 0]63',
    ],
    [
      'methods of texts',
      "{{ 'abca'.find('c') }}{{ 'abca'.rfind('a') }}{{ 'abca'.count('a') }}{{ 'a\nb\n'.splitlines() }}{{ '12'.isdigit() }}" +
        "{{ 'abc'.removeprefix('a') }}{{ 'abc'.removesuffix('c') }}{{ 'a,b,c'.rsplit(',', 1) }}{{ '-'.join(['x', 'y']) }}",
      "232['a', 'b']Truebcab['a,b', 'c']x-y",
    ],
    [
      'items through a filter',
      "{{ ['a', 'b'] | map('upper') | join }}{{ ['a b'] | map('replace', ' ', '_') | list }}{{ [[1, 2], []] | map('length') | list }}",
      "AB['a_b'][2, 0]",
    ],
    [
      'items that are chosen by a test',
      "{{ ['a', '', 1] | select | list }}{{ [1, 'b'] | select('string') | list }}{{ [1, 2, 3] | reject('eq', 2) | list }}" +
        "{{ [{'r': {'n': 1}}] | selectattr('r.n', 'equalto', 2 - 1) | list | length }}" +
        "{{ [{'r': 'x'}, {'r': 'y'}, {}] | rejectattr('r', 'in', ['x', 'z']) | list | length }}" +
        "{{ [{'r': 1}, {}] | selectattr('r', 'undefined') | list | length }}",
      "['a', 1]['b'][1, 3]121",
    ],
    ['tuples in a loop', '{% for a, b in [(1, 2), (3, 4)] if a > 1 %}{{ a }}{{ b }}{% endfor %}', '34'],
    ['rounding', '{{ 3.14159 | round(2) }} {{ 2.5 | round }} {{ 3.5 | round | int }}', '3.14 2.0 4'],
    ['what stands in raw', '{% raw %}{{ "a" }} {% b %}{% endraw %}!', '{{ "a" }} {% b %}!'],
    ['comparisons as tests', "{{ 1 is eq(1) }}{{ 'a' is not equalto 'b' }}", 'TrueTrue'],
    ['the name of the day', "{{ strftime_now('%A, %d %B %Y') }}", 'Tuesday, 03 February 2026'],
    [
      'short names and numbers',
      "{{ strftime_now('%a %b %-d %y %j %I:%M:%S %p %H%%') }}",
      'Tue Feb 3 26 034 03:04:05 PM 15%',
    ],
    ['strftime_now is defined', '{{ 1 if strftime_now is defined }}', '1'],
    ['min and max', '{{ [3, 1, 2] | min }} {{ [3, 1, 2] | max }}', '1 3'],
    ['is sameas', '{{ 1 if x is sameas true }}{{ 2 if x is sameas(false) }}{{ 3 if x is not sameas none }}', '13'],
    ['ensure_ascii', "{{ 'ä' | tojson(ensure_ascii=true) }}", '"\\u00e4"'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render({ x: true })).toBe(output);
  });
});
