import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('How a template is cut into tags and text, as in Python', () => {
  it.each([
    ['space before and behind tags', 'a \n  {%- if x -%}  \n b {% endif %} c', 'ab  c'],
    ['tags on lines of their own', 'a\n  {% if x %}\n  b\n  {% endif %}\nc\n', 'a\n  b\nc'],
    ['a sign that keeps space', 'a\n  {%+ if x %}b{% endif +%}\nc', 'a\n  b\nc'],
    ['values keep the space around them', '  {{ 1 }}\n  {{- 2 -}}  \n3', '  123'],
    ['comments', 'a {# b #}\n  {#- c -#}  d{# e\nf #}\ng', 'a dg'],
    ['line ends of Windows', 'a\r\n{% if x %}\r\nb\r\n{% endif %}\r\nc\r\n', 'a\nb\nc'],
    ['one line end at the end', 'a\n\n', 'a\n'],
    ['tags in texts', "{{ '{% a %}' }}{{ '}}' }}{{ \"{{\" }}", '{% a %}}}{{'],
    ['braces in values', "{{ {'a': {'b': 1}}['a']['b'] }}{{ {'a': {}} }}", "1{'a': {}}"],
    ['what stands in raw', "{% raw %}{{ 'a' }} {% b %}{% endraw %}!", "{{ 'a' }} {% b %}!"],
    ['raw without space', 'a {%- raw -%}  {{ b }}  {%- endraw -%} c', 'a{{ b }}c'],
    ['escapes', "{{ 'a\\nb\\t\\x41\\u00e9\\101\\\\n\\'\\q' }}", "a\nb\tAéA\\n'\\q"],
    ['texts behind one another', "{{ 'a' 'b' \"c\" }}", 'abc'],
    [
      'numbers',
      '{{ 1_000 }} {{ 0x1f }} {{ 0b11 }} {{ 1e3 }} {{ 2.50 }} {{ 1.5e-7 }} {{ 1e16 }}',
      '1000 31 3 1000.0 2.5 1.5e-07 1e+16',
    ],
    ['numbers as members', '{{ o.0.k }}{{ [[1, 2], [3, 4]].1.0 }}', 'x3'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
