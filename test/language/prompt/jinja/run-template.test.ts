import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Statements, as in Python', () => {
  it.each([
    [
      'loops',
      "{% for i in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }};{% endfor %}",
      '103TrueFalse3Aa;212FalseFalse3bcb;321FalseTrue3Aa;',
    ],
    ['a loop over what is undefined', '[{% for i in u %}{{ i }}{% else %}none{% endfor %}]', '[none]'],
    [
      'a loop over a dictionary and a text',
      "{% for k in d %}{{ k }};{% endfor %}{% for c in 'ab😀' %}{{ c }}.{% endfor %}",
      'items;get;a;a.b.😀.',
    ],
    [
      'a loop with a condition',
      '{% for i in [1, 2, 3, 4] if i is even %}{{ i }}{{ loop.index }}{{ loop.last }}{% else %}no{% endfor %}',
      '21False42True',
    ],
    [
      'names in loops',
      '{% set a = 1 %}{% for i in [1, 2] %}{{ a }}{% set a = a + i %}{{ a }};{% endfor %}{{ a }}',
      '12;13;1',
    ],
    ['names in conditions', '{% if x %}{% set a = 2 %}{% endif %}{{ a }}', '2'],
    [
      'fields of namespaces',
      '{% set ns = namespace(a=1, b=[]) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns.c is defined }}',
      '4False',
    ],
    [
      'several targets',
      "{% set a, b = 1, 2 %}{{ a }}{{ b }}{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}{% for k, v in [['a', 1]] %}{{ k }}{{ v }}{% endfor %}",
      '12123a1',
    ],
    [
      'blocks as values',
      '{% set a %}x{{ 1 }}y{% endset %}[{{ a }}]{% set b | upper | trim %} q {% endset %}[{{ b }}]',
      '[x1y][Q]',
    ],
    [
      'macros',
      "{% macro m(a, b='B', c=a) %}{{ a }}{{ b }}{{ c }}{{ varargs }}{{ kwargs }};{% endmacro %}{{ m(1) }}{{ m(1, c=2) }}{{ m(1, 2, 3, 4, z=5) }}{{ m() }}",
      "1B1(){};1B2(){};123(4,){'z': 5};B(){};",
    ],
    [
      'macros see the names around them',
      '{% set a = 1 %}{% macro m() %}{{ a }}{% endmacro %}{% set a = 2 %}{% for i in [1] %}{% set a = 3 %}{{ m() }}{% endfor %}',
      '2',
    ],
    [
      'macros that call themselves',
      '{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}',
      '3210',
    ],
    ['call blocks', '{% macro m(a) %}<{{ caller(a) }}>{% endmacro %}{% call(v) m(7) %}v{{ v }}{% endcall %}', '<v7>'],
    ['filter blocks', "{% filter upper | replace('B', '-') %}ab{% endfilter %}", 'A-'],
    ['with', '{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}', '12False'],
    ['what an assistant generates', '{% generation %}a{{ 1 }}{% endgeneration %}b', 'a1b'],
    [
      'loops within themselves',
      '{% for i in [[1, [2]], 3] recursive %}{% if i is iterable %}({{ loop(i) }}){% else %}{{ i }}{{ loop.depth }}{% endif %}{% endfor %}',
      '(12(23))31',
    ],
    ['changed', '{% for i in [1, 1, 2] %}{{ loop.changed(i) }}{% endfor %}', 'TrueFalseTrue'],
    [
      'cycler and joiner',
      "{% set c = cycler('a', 'b') %}{% set j = joiner('|') %}{{ j() }}{{ c.next() }}{{ j() }}{{ c.next() }}{{ j() }}{{ c.current }}",
      'a|b|a',
    ],
    [
      'range',
      '{{ range(3) | list }}{{ range(1, 7, 2) | list }}{{ range(3, 0, -1) | list }}',
      '[0, 1, 2][1, 3, 5][3, 2, 1]',
    ],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
