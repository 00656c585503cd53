import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Precedence of operators, as in Python', () => {
  it.each([
    [
      'filters before signs and sums',
      '{{ -3 | abs }} {{ 1 + 2 | string | length }} {{ (1 + 2) | string | length }}',
      '3 2 1',
    ],
    ['~ before + and behind *', "{{ 'a' ~ 1 + 2 if false else 'b' ~ 2 * 3 }}", 'b6'],
    ['comparisons in a row', '{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 == true }}', 'True False True'],
    ['not, and, or', "{{ not false and false or 'c' }} {{ not 'a' in ['a'] }} {{ 'a' not in ['b'] }}", 'c False True'],
    ['values of and and or', "{{ 0 or '' or none }} {{ 1 and [] }} {{ n or 'd' }}", 'None [] d'],
    ['a condition without else', "[{{ 'a' if false }}]{{ 'b' if x else 'c' if x else 'd' }}", '[]b'],
    [
      'tests with values',
      "{{ 4 is divisibleby 2 }} {{ 3 is not divisibleby(2) }} {{ 'a' is in ['a'] }} {{ 1 is eq 1 and 2 is ne 3 }}",
      'True True True True',
    ],
    ['tests behind filters', "{{ l | length is odd }} {{ 'a' | upper is upper }}", 'True True'],
    ['powers', '{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 2 ** -1 }}', '64 4 0.5'],
    [
      'slices',
      "{{ l[1:] }}{{ l[::-1] }}{{ l[:-1] }}{{ l[-2:] }}{{ 'abcdef'[1:5:2] }}{{ 'abc'[::-1] }}{{ l[5:] }}",
      "['A', 'c']['c', 'A', 'b']['b', 'A']['A', 'c']bdcba[]",
    ],
    ['tuples', '{{ (1, 2)[0] }}{{ (1,) }}{{ () }}{{ 1, 2 }}', '1(1,)()(1, 2)'],
    [
      'calls with all kinds of arguments',
      "{{ '{}{}{a}'.format(*[1, 2], **{'a': 3}) }}{{ dict(a=1, b=2) }}",
      "123{'a': 1, 'b': 2}",
    ],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
