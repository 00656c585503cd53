import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEnglish, spokenEnglish } from '../../../src/sound/voice/spoken-english.js';

describe('spokenEnglish', () => {
  it.each([
    ['0 1 12 21 100 118 1,000', 'zero one twelve twenty-one one hundred one hundred eighteen one thousand'],
    [
      '1,234,567 and 1000000000',
      'one million two hundred thirty-four thousand five hundred sixty-seven and one billion',
    ],
    ['3.14 and 0.5', 'three point one four and zero point five'],
    ['It is -5 degrees.', 'It is minus five degrees.'],
    [
      '1st 2nd 3rd 4th 12th 20th 23rd 112th',
      'first second third fourth twelfth twentieth twenty-third one hundred twelfth',
    ],
    ['Version 1.2.3', 'Version one point two point three'],
    [
      'agent 007, 12345678901234567',
      `agent zero zero seven, ${'one two three four five six seven eight nine zero '.repeat(2).split(' ').slice(0, 17).join(' ')}`,
    ],
    ['1/2 cup, ¾ full', 'one half cup, three quarters full'],
    ['pages 10–20', 'pages ten to twenty'],
    ['H2O', 'H two O'],
    ['On 2026-11-23.', 'On November twenty-third, twenty twenty-six.'],
    [
      '12/25/2025 and 25/12/2025',
      'December twenty-fifth, twenty twenty-five and December twenty-fifth, twenty twenty-five',
    ],
    ['Nov. 3, 2026', 'November third, twenty twenty-six'],
    ['4 July 1776', 'July fourth, seventeen seventy-six'],
    ['in 1999, since 2005, by 1900', 'in nineteen ninety-nine, since two thousand five, by nineteen hundred'],
    ['in 1999 thousand ways', 'in one thousand nine hundred ninety-nine thousand ways'],
    ['the 1990s', 'the nineteen nineties'],
    ['at 5:30 pm, 14:05, 12:00, 9 a.m.', "at five thirty PM, fourteen oh five, twelve o'clock, nine AM"],
    ['$5, $1.50, $0.01, €20, 5 €', 'five dollars, one dollar and fifty cents, one cent, twenty euros, five euros'],
    ['£3.2 million', 'three point two million pounds'],
    [
      '23°C, 50%, 1 km, 5 km/h, 8GB, 2.4 GHz',
      'twenty-three degrees Celsius, fifty percent, one kilometer, five kilometers per hour, eight gigabytes, two point four gigahertz',
    ],
    ['5 minutes', 'five minutes'],
    ['Dr. Grey and Mr. St. John of Main St.', 'Doctor Grey and Mister Saint John of Main Street.'],
    ['No. 5, e.g. this, etc.', 'number five, for example this, et cetera.'],
    ['No. We left.', 'No. We left.'],
    ['salt & pepper', 'salt and pepper'],
    ['Call +1 555 123 4567', 'Call plus one five five five one two three four five six seven'],
    ['See https://example.com/docs?x=1', 'See example dot com slash docs x one'],
    ['Write to ann.lee@example.org', 'Write to ann dot lee at example dot org'],
    ['99/99/2020', 'ninety-nine/ninety-nine/two thousand twenty'],
  ])('%s', (text, spoken) => {
    expect(spokenEnglish(text)).toBe(spoken);
  });

  it('leaves no digit, and words as they are', () => {
    const parts = fc.constantFrom(
      '1',
      '23',
      '4,567',
      '.',
      ',',
      ':',
      '/',
      '-',
      ' ',
      '$',
      '€',
      '%',
      'km',
      'st',
      'May',
      'in',
      '@',
      '+',
      'é',
      '°C',
      'pm',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (text) => {
        expect(spokenEnglish(text.join(''))).not.toMatch(/[0-9]/);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ,!?]{0,80}$/), (text) => {
        expect(spokenEnglish(text)).toBe(text.replaceAll(/ {2,}/g, ' '));
      }),
    );
  });
});

it.each([
  ['The train leaves at 5.', true],
  ['Hello 3', true],
  ['42', true],
  ['Write to me@example.org at 9 am', true],
  ['A naïve café', true],
  ['Ich habe 3 Hunde und die sind nicht da', false],
  ['Hola, esto no es muy bueno', false],
  ['Il est 5 heures et je suis là', false],
  ['У меня 3 собаки', false],
  ['我有3只狗', false],
])('%s is English: %s', (text, english) => {
  expect(isEnglish(text)).toBe(english);
});
