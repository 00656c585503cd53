import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Operators, as in Python', () => {
  it.each([
    [
      'equality of types',
      "{{ 1 == '1' }}{{ 1 == 1.0 }}{{ true == 1 }}{{ none == false }}{{ u == none }}{{ u == u2 }}{{ [1, {'a': 2}] == [1.0, {'a': 2}] }}{{ (1,) == [1] }}{{ '' == none }}{{ {} == {} }}",
      'FalseTrueTrueFalseFalseTrueTrueFalseFalseTrue',
    ],
    [
      'remainders of negative numbers',
      '{{ -7 % 3 }} {{ 7 % -3 }} {{ -7 // 2 }} {{ 7.5 % 2 }} {{ 7 // 2.0 }} {{ 7 / 2 }} {{ 4 / 2 }}',
      '2 -2 -4 1.5 3.0 3.5 2.0',
    ],
    [
      'again and again',
      "{{ '-' * 3 }}{{ 2 * 'ab' }}{{ [0] * 2 }}{{ (1,) * 2 }}{{ 'a' * -1 }}{{ true + 1 }}",
      '---abab[0, 0](1, 1)2',
    ],
    ['lists', "{{ [1] + [2] }}{{ (1,) + (2,) }}{{ 'a' + 'b' }}", '[1, 2](1, 2)ab'],
    [
      'in',
      "{{ 'a' in 'abc' }}{{ 1 in [1.0] }}{{ 'a' in d }}{{ 'a' in u }}{{ none in [none] }}{{ '' in 'a' }}",
      'TrueTrueTrueFalseTrueTrue',
    ],
    ['order', "{{ 'a' < 'b' }}{{ [1, 2] < [1, 3] }}{{ 1 <= 1.0 }}{{ 'Z' < 'a' }}", 'TrueTrueTrueTrue'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
