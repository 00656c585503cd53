import { describe, expect, it } from 'vitest';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import { checkTemplates, templateTraits } from '../../../src/language/prompt/template-traits.js';

const turns = "{% for m in messages %}{{ m.role + ': ' + m.content }}{% endfor %}";

describe('templateTraits: tools', () => {
  it.each([
    ['prints them', `{% if tools %}{{ tools | tojson }}{% endif %}${turns}`, true],
    ['prints their names', `{% for tool in tools %}{{ tool.function.name }}{% endfor %}${turns}`, true],
    ['prints them after a start token', `{{ bos_token + '' }}{{ tools | tojson }}${turns}`, true],
    [
      'insists on a system message',
      `{% if messages[0].role != 'system' %}{{ raise_exception('No.') }}{% endif %}{{ tools | tojson }}${turns}`,
      true,
    ],
    ['knows none', turns, false],
    ['speaks of tools', `{{ 'Use the available tools.' }}${turns}`, false],
    [
      'reads them from a message (Phi-4-mini)',
      `{% for m in messages %}{% if m.role == 'system' and 'tools' in m %}{{ m['tools'] }}{% endif %}{% endfor %}${turns}`,
      true,
    ],
    ['counts them only', `{{ tools | length }}${turns}`, false],
    ['refuses everything', "{{ raise_exception('Never.') }}{{ tools }}", false],
    ['is no template', '{% tools', false],
  ])('a template that %s: %#', (_, template, declares) => {
    expect(templateTraits(template).tools !== 'never').toBe(declares);
  });
});

describe('checkTemplates', () => {
  const outcome = (templates: Parameters<typeof checkTemplates>[0]): unknown => {
    try {
      checkTemplates(templates);
      return 'fine';
    } catch (error) {
      return isInferenceError(error) && [error.code, error.details.permanent, error.message];
    }
  };

  it.each([
    ['is absent', undefined],
    ['writes turns', turns],
    ['insists on tools', `{{ raise_exception('No.') if not tools }}${turns}`],
    ['refuses our question in its own words', "{{ raise_exception('Only translations.') }}"],
    [
      'wants lists of parts',
      '{% for m in messages %}{% for p in m.content %}{{ p.text.strip() }}{% endfor %}{% endfor %}',
    ],
  ])('takes a template that %s', (_, chatTemplate) => {
    expect(outcome({ chatTemplate })).toBe('fine');
  });

  it.each([
    ['is cut', '{% for m in messages %}'],
    ['is of another kind', '{{#each messages}}{{content}}{{/each}}'],
    ['uses a filter that is not known', '{{ messages | klingon }}'],
    ['calls what is no function', '{{ messages[0].role.cry() }}'],
    ['never ends', '{% for i in range(999999) %}{% for j in range(999999) %}{% endfor %}{% endfor %}'],
    [
      'grows without end',
      "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    ],
  ])('refuses one that %s', (_, broken) => {
    const refused = ['model_not_supported', true, expect.stringContaining('chat template cannot be rendered: ')];
    expect(outcome({ chatTemplate: broken })).toEqual(refused);
    expect(outcome({ chatTemplate: turns, toolTemplate: broken })).toEqual(refused);
  });
});
