/** Neighbours of the reported expressions of templates, with what Jinja2 3.1.6 and Python's `strftime` write. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChatTemplate } from '../../src/language/prompt/chat-template.js';
import reports from './templates.json' with { type: 'json' };

const render = (template: string): string => new ChatTemplate(template).render(reports.vars);

describe('expressions as Python writes them', () => {
  it.each([
    ['{{ [1.5, 2]|sum }} {{ [1.0, 2.0]|sum }} {{ [[1], [2]]|sum(start=[]) }}', '3.5 3.0 [1, 2]'],
    [
      "{{ \"it's (a) * b!\"|urlencode }} {{ {'a b': 'c&d', 'é': 1}|urlencode }}",
      'it%27s%20%28a%29%20%2A%20b%21 a+b=c%26d&%C3%A9=1',
    ],
    [
      "{{ '1g'|int(0, 16) }} {{ '0x1F'|int(base=16) }} {{ '-3.5'|int(base=16) }} {{ '1_000'|int }} {{ '1_000'|float }}",
      '0 31 -3 1000 1000.0',
    ],
    [
      '{{ 2**64 }} {{ 10**22 }} {{ [2**70]|tojson }}',
      '18446744073709551616 10000000000000000000000 [1180591620717411303424]',
    ],
    [
      "{{ '%5s|%-5s|%.1s' % (emoji, emoji, emoji) }} {{ emoji.zfill(4) }} {{ '{:>4}'.format(emoji) }}",
      '   👍🏽|👍🏽   |👍 00👍🏽   👍🏽',
    ],
    ["{{ '%a %r' % (soft, soft) }} {{ '{!a}'.format('ü') }}", "'\\u65e5\\u672c\\u8a9e \\xe9' '日本語 é' '\\xfc'"],
    ["{{ '%g %g %g %.3g %G' % (1e16, 0.00001, 100000, 1234.5, 1e-7) }}", '1e+16 1e-05 100000 1.23e+03 1E-07'],
    ["{{ '{:g} {:.3} {:.3} {:.1}'.format(1e6, 10.0, 1e3, 2.0) }}", '1e+06 10.0 1e+03 2e+00'],
    ["{{ '%c%c' % (97, 'b') }} {{ '{:c}'.format(8364) }}", 'ab €'],
    ["{{ '%.5d %+05d %#x %#o %x' % (42, 42, 255, 8, 255) }}", '00042 +0042 0xff 0o10 ff'],
    ["{{ '%u %i %ld' % (1, 2.9, 3) }}", '1 2 3'],
    ["{{ '{:>6} {:d} {:,}'.format(true, true, 1234567) }}", '     1 1 1,234,567'],
    ["{{ {1: 'x', true: 'y', 1.0: 'z'} }} {{ {true: 1}[1] }}", "{1: 'z'} 1"],
    ["{{ [1, 2, 3]|slice(2, '-')|list }} {{ []|slice(2, '-')|list }}", "[[1, 2], [3, '-']] [['-'], ['-']]"],
    ['{{ (1, 2, 3)|batch(2)|list }}', '[[1, 2], [3]]'],
    ["{{ 'Straße ﬁ Σς'.casefold() }}", 'strasse fi σσ'],
    ["{{ 'Hello World'.istitle() }} {{ 'aB'.istitle() }} {{ ''.istitle() }}", 'True False False'],
    ["{{ 'a_1'.isidentifier() }} {{ '1a'.isidentifier() }} {{ 'ü'.isidentifier() }}", 'True False True'],
    ["{{ 'a b'.isprintable() }} {{ nbsp.isprintable() }} {{ ''.isprintable() }}", 'True False True'],
    ['{{ [-1 % 0.5, 3.0 % -3, -2.5 // -3, 1e16 // 3, -7 // 2.0] }}', '[0.0, -0.0, 0.0, 3333333333333333.0, -4.0]'],
    ['{{ 1e16 is divisibleby 3 }} {{ -4 is divisibleby 2 }}', 'False True'],
    ['{{ missing is callable }}', 'True'],
    ["{{ '%05s|%-5d|% d' % ('a', 3, 4) }}", '    a|3    | 4'],
    ["{{ '%s %s' % ([1], {'a': 1}) }}", "[1] {'a': 1}"],
    ["{{ '{:e} {:E} {:.0f} {:%}'.format(12345.678, 0.5, 2.5, 0.25) }}", '1.234568e+04 5.000000E-01 2 25.000000%'],
    ["{{ '{:#x} {:#b} {:08.3f}'.format(255, 5, 3.14159) }}", '0xff 0b101 0003.142'],
    ["{{ '%s' % (1e308 * 10) }} {{ '%f' % (-1e308 * 10) }}", 'inf -inf'],
    ["{{ '%-8s|' % [x] }}", "['a\\u3000b']|"],
  ])('%s', (template, gives) => {
    expect(render(template)).toBe(gives);
  });

  it.each([
    "{{ '%x' % 1.5 }}",
    "{{ '%c' % 'ab' }}",
    "{{ '{:d}'.format(1.5) }}",
    "{{ '{:s}'.format(1) }}",
    "{{ '{'.format(1) }}",
    "{{ '%d' % 'a' }}",
    "{{ '{:>5}'.format([1]) }}",
    "{{ '{:.3}'.format(7) }}",
    "{{ '%s' % (1, 2) }}",
  ])('%s raises', (template) => {
    expect(() => render(template)).toThrow(Error);
  });
});

describe('strftime_now', () => {
  afterEach(() => void vi.useRealTimers());

  const CODES =
    '%a %A %b %B %c|%C %d %D|%e %F|%g %G %h %H %I|%j %k %l|%m %M %p %P|%r|%R %S %T|%u %U %V %w %W|%x %X %y %Y|%z%Z|%% %n%t|%-d %-m %-H %-I %-j';

  it.each([
    [
      [2026, 2, 3, 15, 4, 5],
      'Tue Tuesday Feb February Tue Feb  3 15:04:05 2026|20 03 02/03/26| 3 2026-02-03|26 2026 Feb 15 03|034 15  3|02 04 PM pm|03:04:05 PM|15:04 05 15:04:05|2 05 06 2 05|02/03/26 15:04:05 26 2026||% \n\t|3 2 15 3 34',
    ],
    [
      [2024, 12, 30, 0, 0, 0],
      'Mon Monday Dec December Mon Dec 30 00:00:00 2024|20 30 12/30/24|30 2024-12-30|25 2025 Dec 00 12|365  0 12|12 00 AM am|12:00:00 AM|00:00 00 00:00:00|1 52 01 1 53|12/30/24 00:00:00 24 2024||% \n\t|30 12 0 12 365',
    ],
    [
      [2023, 1, 1, 12, 59, 59],
      'Sun Sunday Jan January Sun Jan  1 12:59:59 2023|20 01 01/01/23| 1 2023-01-01|22 2022 Jan 12 12|001 12 12|01 59 PM pm|12:59:59 PM|12:59 59 12:59:59|7 01 52 0 00|01/01/23 12:59:59 23 2023||% \n\t|1 1 12 12 1',
    ],
    [
      [2021, 1, 3, 9, 8, 7],
      'Sun Sunday Jan January Sun Jan  3 09:08:07 2021|20 03 01/03/21| 3 2021-01-03|20 2020 Jan 09 09|003  9  9|01 08 AM am|09:08:07 AM|09:08 07 09:08:07|7 01 53 0 00|01/03/21 09:08:07 21 2021||% \n\t|3 1 9 9 3',
    ],
    [
      [2020, 12, 31, 23, 0, 0],
      'Thu Thursday Dec December Thu Dec 31 23:00:00 2020|20 31 12/31/20|31 2020-12-31|20 2020 Dec 23 11|366 23 11|12 00 PM pm|11:00:00 PM|23:00 00 23:00:00|4 52 53 4 52|12/31/20 23:00:00 20 2020||% \n\t|31 12 23 11 366',
    ],
  ])('at %j', ([year = 0, month = 1, day, hours, minutes, seconds], written) => {
    vi.useFakeTimers({ now: new Date(year, month - 1, day, hours, minutes, seconds) });
    expect(render(`{{ strftime_now(${JSON.stringify(CODES)}) }}`)).toBe(written);
  });
});
