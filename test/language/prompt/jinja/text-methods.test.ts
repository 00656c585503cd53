import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../../../src/language/prompt/chat-template.js';
import { VARIABLES } from './support/variables.js';

/** Each expected text is what Jinja2 3.1.6 in Python writes. */
describe('Methods of texts, as in Python', () => {
  it.each([
    [
      'strip',
      "{{ '\\n  x\\n'.lstrip('\\n') }}|{{ 'xxaxx'.strip('x') }}|{{ ' a-- '.rstrip('- ') }}|{{ ' a '.strip() }}|{{ 'a'.strip(none) }}",
      '  x\n|a| a|a|a',
    ],
    [
      'split',
      "{{ 'a  b c'.split() }}{{ 'a  b c'.split(' ') }}{{ 'a,b,c'.split(',', 1) }}{{ 'a,b,c'.rsplit(',', 1) }}{{ ' a b '.split(none, 1) }}{{ ''.split() }}{{ ''.split(',') }}{{ 'a b c'.rsplit(maxsplit=1) }}",
      "['a', 'b', 'c']['a', '', 'b', 'c']['a', 'b,c']['a,b', 'c']['a', 'b '][]['']['a b', 'c']",
    ],
    [
      'find',
      "{{ 'abca'.find('c') }}{{ 'abca'.rfind('a') }}{{ 'abca'.find('z') }}{{ 'abca'.find('a', 1) }}{{ 'abca'.index('b') }}{{ 'abca'.count('a') }}",
      '23-1312',
    ],
    [
      'begin and end',
      "{{ 'abc'.startswith('ab') }}{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('c') }}{{ 'abc'.startswith('b', 1) }}",
      'TrueTrueTrueTrue',
    ],
    ['replace', "{{ 'aaa'.replace('a', 'b', 2) }}{{ 'ab'.replace('', '-') }}", 'bba-a-b-'],
    [
      'cases',
      "{{ 'aBc'.upper() }}{{ 'aBc'.lower() }}{{ 'hello world'.title() }}{{ 'hELLO'.capitalize() }}{{ 'aB'.swapcase() }}{{ \"it's\".title() }}",
      "ABCabcHello WorldHelloAbIt'S",
    ],
    [
      'parts',
      "{{ 'a=b=c'.partition('=') }}{{ 'a=b=c'.rpartition('=') }}{{ 'abc'.removeprefix('a') }}{{ 'abc'.removesuffix('c') }}{{ 'a\\nb\\r\\nc\\n'.splitlines() }}",
      "('a', '=', 'b=c')('a=b', '=', 'c')bcab['a', 'b', 'c']",
    ],
    [
      'widths',
      "{{ '7'.zfill(3) }}{{ '-7'.zfill(3) }}[{{ 'a'.center(4) }}][{{ 'ab'.center(5) }}][{{ 'a'.ljust(3, '.') }}][{{ 'a'.rjust(3) }}]",
      '007-07[ a  ][  ab ][a..][  a]',
    ],
    [
      'kinds',
      "{{ '12'.isdigit() }}{{ 'a1'.isalnum() }}{{ 'ä'.isalpha() }}{{ ' '.isspace() }}{{ ''.isdigit() }}{{ 'A'.isupper() }}{{ 'a'.islower() }}",
      'TrueTrueTrueTrueFalseTrueTrue',
    ],
    ['join', "{{ '-'.join(['x', 'y']) }}{{ ', '.join(d) }}", 'x-yitems, get, a'],
  ])('%s', (_, source, output) => {
    expect(new ChatTemplate(source).render(VARIABLES)).toBe(output);
  });
});
