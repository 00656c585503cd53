import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Members of values, as in Python', () => {
  it.each([
    [
      'methods before keys, keys in brackets',
      "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{{ d['items'] }}{{ d.get('get') }}{{ d['get'] }}{{ d.a.b }}",
      "items=[1];get=2;a={'b': 3};[1]223",
    ],
    [
      'methods where a key is missing',
      "{{ e['keys']() | list }}{{ e.values() | list }}{{ e.items is defined }}{{ e.a is defined }}",
      '[][]TrueFalse',
    ],
    ['get', "{{ d.get('zz') }} {{ d.get('zz', 'y') }} {{ {'a': none}.get('a', 1) }}", 'None y None'],
    [
      'whole numbers as keys',
      "{% set m = {1: 'a', 2: 'b'} %}{{ m[1] }}{{ m[1 + 1] }}{{ m.get(3, 'c') }}{{ 2 in m }}{{ 5 in m }}{{ m }}",
      "abcTrueFalse{1: 'a', 2: 'b'}",
    ],
    [
      'places from the end and beyond it',
      "{{ l[-1] }}{{ l[7] is defined }}{{ 'ab'[-1] }}{{ 'ab'[5] is defined }}",
      'cFalsebFalse',
    ],
    ['characters beyond 16 bits', '{{ s | trim | length }}{{ (s | trim)[-1] }}{{ (s | trim)[:2] }}', '7😀Gr'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
