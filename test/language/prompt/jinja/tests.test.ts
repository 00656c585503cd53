import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Tests, as in Python', () => {
  it.each([
    [
      'kinds',
      "{{ 1 is number }}{{ true is number }}{{ true is integer }}{{ 1.0 is float }}{{ 'a' is string }}{{ d is mapping }}{{ l is sequence }}{{ d is iterable }}{{ u is iterable }}{{ 1 is iterable }}{{ d is sequence }}{{ range is callable }}{{ x is boolean }}{{ n is none }}",
      'TrueTrueFalseTrueTrueTrueTrueTrueTrueFalseTrueTrueTrueTrue',
    ],
    [
      'truth',
      '{{ true is true }}{{ 1 is true }}{{ false is false }}{{ 0 is false }}{{ u is defined }}{{ n is defined }}{{ u is undefined }}',
      'TrueFalseTrueFalseFalseTrueTrue',
    ],
    [
      'comparisons',
      "{{ 1 is eq(1) }}{{ 'a' is not equalto 'b' }}{{ 2 is gt 1 }}{{ 2 is ge 2 }}{{ 1 is lessthan 2 }}{{ x is sameas true }}{{ n is sameas none }}{{ 'a' is not sameas false }}",
      'TrueTrueTrueTrueTrueTrueTrueTrue',
    ],
    ['numbers', '{{ 3 is odd }}{{ -3 is odd }}{{ 4 is even }}{{ 9 is divisibleby 3 }}', 'TrueTrueTrueTrue'],
    [
      'texts',
      "{{ 'abc' is lower }}{{ 'ABC' is upper }}{{ 'aBC' is upper }}{{ 'upper' is filter }}{{ 'odd' is test }}",
      'TrueTrueFalseTrueTrue',
    ],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
