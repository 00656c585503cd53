import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Values as text, as in Python', () => {
  it.each([
    [
      'constants',
      '{{ true }} {{ False }} {{ none }} {{ u }} {{ 1.0 }} {{ 0.1 }} {{ 1e-5 }} {{ 123456789.5 }} {{ 1e22 }}',
      'True False None  1.0 0.1 1e-05 123456789.5 1e+22',
    ],
    [
      'lists and dictionaries',
      "{{ [1, 'a', true, none, \"it's\", 'a\\nb\"', 'é'] }} {{ {'a': false, 'b': (1, 2.5)} }} {{ {1: 2} }}",
      "[1, 'a', True, None, \"it's\", 'a\\nb\"', 'é'] {'a': False, 'b': (1, 2.5)} {1: 2}",
    ],
    ['in texts', "{{ 'a' ~ true ~ none ~ [1] ~ u ~ 2.0 }} {{ [x, 'b'] | string }}", "aTrueNone[1]2.0 [True, 'b']"],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
