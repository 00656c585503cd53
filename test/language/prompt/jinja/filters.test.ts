import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Filters, as in Python', () => {
  it.each([
    [
      'of what is undefined',
      "[{{ u | trim }}][{{ u | length }}][{{ u | default('d') }}][{{ u | upper }}][{{ u | list }}][{{ u | join(',') }}]",
      '[][0][d][][[]][]',
    ],
    [
      'of none',
      "[{{ none | trim }}][{{ none | default('d') }}][{{ none | default('d', true) }}][{{ none | string }}][{{ none | int }}]",
      '[None][None][d][None][0]',
    ],
    ['default', "{{ '' | default('d') }}{{ '' | default('d', true) }}{{ 0 | d(1, boolean=true) }}", 'd1'],
    ['trim with marks', "{{ 'xxaxx' | trim('x') }}|{{ ' a\\u00a0' | trim }}|", 'a|a|'],
    [
      'JSON',
      "{{ {'a': [1, 2.0, true, none, 'ä\\n\\\"'], 'b': {}, 'c': []} | tojson }}",
      '{"a": [1, 2.0, true, null, "ä\\n\\""], "b": {}, "c": []}',
    ],
    [
      'JSON with indent',
      "{{ {'a': [1, {'b': 2}], 'c': {}, 'd': []} | tojson(indent=2) }}",
      '{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ],\n  "c": {},\n  "d": []\n}',
    ],
    [
      'JSON with separators, sorted',
      "{{ {'b': 1, 'a': [1, 2]} | tojson(separators=(',', ':'), sort_keys=true) }}",
      '{"a":[1,2],"b":1}',
    ],
    ['JSON of ASCII', "{{ 'ä😀' | tojson(ensure_ascii=true) }}", '"\\u00e4\\ud83d\\ude00"'],
    ['JSON of numbers as keys', "{{ {2: 'a', none: 'b', 1.5: 'c'} | tojson }}", '{"2": "a", "null": "b", "1.5": "c"}'],
    [
      'indent',
      "{{ 'a\\n\\nb' | indent }}|{{ 'a\\nb' | indent(2, true) }}|{{ 'a\\n\\nb' | indent('> ', blank=true) }}|{{ 'a\\n' | indent }}",
      'a\n\n    b|  a\n  b|a\n> \n> b|a\n',
    ],
    [
      'numbers',
      "{{ '12' | int }}{{ '1.9' | int }}{{ 'x' | int(7) }}{{ 'ff' | int(base=16) }} {{ '1.5' | float }} {{ 'x' | float }} {{ 3 | float }} {{ -2.7 | int }}",
      '1217255 1.5 0.0 3.0 -2',
    ],
    [
      'round',
      "{{ 3.14159 | round(2) }} {{ 2.5 | round }} {{ 3.5 | round | int }} {{ 2.1 | round(0, 'ceil') }} {{ 7 | round }}",
      '3.14 2.0 4 3.0 7',
    ],
    [
      'replace',
      "{{ 'aXbX' | replace('X', '-') }}{{ 'aXbX' | replace('X', '-', 1) }}{{ 121 | replace(1, 3) }}{{ 'ab' | replace('', '.') }}",
      'a-b-a-bX323.a.b.',
    ],
    [
      'names',
      "{{ 'hello wORLD-foo' | title }} {{ 'hELLO' | capitalize }} {{ 'a b' | urlencode }} {{ 'a<b' | e }} {{ 'one two' | wordcount }}",
      'Hello World-Foo Hello a%20b a&lt;b 2',
    ],
    [
      'dictsort',
      "{{ {'b': 1, 'A': 2} | dictsort }}{{ {'b': 1, 'a': 2} | dictsort(by='value', reverse=true) }}{% for k, v in {'z': 1} | items %}{{ k }}{{ v }}{% endfor %}",
      "[('A', 2), ('b', 1)][('a', 2), ('b', 1)]z1",
    ],
    ['format', "{{ '%s-%05.1f-%d' | format('a', 2.25, 3) }} {{ '%(k)s' | format(k='v') }}", 'a-002.2-3 v'],
    ['first and last', "{{ l | first }}{{ l | last }}{{ [] | first is defined }}{{ 'abc' | first }}", 'bcFalsea'],
    [
      'sort',
      "{{ l | sort }}{{ l | sort(case_sensitive=true) }}{{ [3, 1] | sort(reverse=true) }}{{ o[:2] | sort(attribute='v') | map(attribute='k') | list }}",
      "['A', 'b', 'c']['A', 'b', 'c'][3, 1]['y', 'x']",
    ],
    [
      'map',
      "{{ l | map('upper') | join }}{{ o | map(attribute='k', default='?') | list }}{{ ['a b'] | map('replace', ' ', '_') | list }}",
      "BAC['x', 'y', '?']['a_b']",
    ],
    [
      'select',
      "{{ [0, 1, '', 'a'] | select | list }}{{ [1, 'b'] | select('string') | list }}{{ [1, 2, 3] | reject('eq', 2) | list }}",
      "[1, 'a']['b'][1, 3]",
    ],
    [
      'selectattr',
      "{{ o | selectattr('k', 'equalto', 'x') | list }}{{ o | selectattr('k', 'defined') | list | length }}{{ o | rejectattr('k', 'in', ['x']) | map(attribute='v') | list }}{{ 'abc' | selectattr('type', 'equalto', 'text') | list }}",
      "[{'k': 'x', 'v': 2}]2[1, 3][]",
    ],
    [
      'unique, sum, min, max',
      "{{ ['a', 'A', 'b'] | unique | list }}{{ [1, 2] | sum }}{{ o | sum(attribute='v') }}{{ [3, 1, 2] | min }}{{ ['b', 'C'] | max }}{{ o | max(attribute='v') }}",
      "['a', 'b']361C{'v': 3}",
    ],
    [
      'groupby, batch, slice',
      "{% for k, g in o[:2] | groupby('k') %}{{ k }}{{ g | length }}{% endfor %}{{ [1, 2, 3] | batch(2, 0) | list }}{{ [1, 2, 3] | slice(2) | list }}",
      'x1y1[[1, 2], [3, 0]][[1, 2], [3]]',
    ],
    [
      'reverse and join',
      "{{ l | reverse | list }}{{ 'abc' | reverse }}{{ [1, none, true] | join('|') }}{{ o[:2] | join(',', attribute='k') }}{{ 'abc' | join('-') }}",
      "['c', 'A', 'b']cba1|None|Truex,ya-b-c",
    ],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
