import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Texts with places, as in Python', () => {
  it.each([
    [
      'fields',
      "{{ 'a{}b{}'.format(1, 'x') }} {{ '{0}{0}{n}'.format('z', n=true) }} {{ '{:>4}|{:<4}|{:^4}|{:04d}|{:.2f}|{:,}'.format('a', 'b', 'c', 7, 3.14159, 1234567) }} {{ '{{}}{!r}'.format('q') }}",
      "a1bx zzTrue    a|b   | c  |0007|3.14|1,234,567 {}'q'",
    ],
    [
      'codes',
      "{{ '%s-%d%%' % ('a', 3) }} {{ '%5s|%-5s|%05d|%.2f|%x|%+d' % ('a', 'b', 42, 2.5, 255, 3) }} {{ '%s' % [1] }} {{ '%(a)s' % {'a': 1} }} {{ '%r' % 'q' }}",
      "a-3%     a|b    |00042|2.50|ff|+3 [1] 1 'q'",
    ],
    [
      'numbers',
      "{{ '%f' % 1 }} {{ '%g' % 0.5 }} {{ '%.0f' % 2.7 }} {{ '%e' % 12345.678 }} {{ '{:.1%}'.format(0.25) }} {{ '{:e}'.format(0.00012) }}",
      '1.000000 0.5 3 1.234568e+04 25.0% 1.200000e-04',
    ],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
