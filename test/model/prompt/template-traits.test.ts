import { describe, expect, it } from 'vitest';
import { templateTraits } from '../../../src/model/prompt/template-traits.js';

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
