import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentsMender } from '../../../src/core/json/arguments-mender.js';
import { mendArguments } from '../../../src/core/json/mend-json.js';
import { rounds } from '../../support/rounds.js';

/** The same, in pieces of one character. */
function inPieces(text: string): string {
  const mender = new ArgumentsMender();
  return (
    text
      .split('')
      .map((each) => mender.push(each))
      .join('') + mender.end()
  );
}

describe('[C78] arguments', () => {
  it('that are JSON stay as they were written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect([mendArguments(text), inPieces(text)]).toEqual([text, text]);
      }),
      { numRuns: rounds(200, 2000) },
    );
  });

  it('of any text are the same whole and in pieces: mended, or letter for letter', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ',',
      ':',
      'a',
      ' ',
      '\n',
      '\\',
      '1',
      '.',
      'True',
      'null',
      '//',
      '\\n',
      '""',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `{${pieces.join('')}}`;
        const mended = mendArguments(text);
        if (mended !== undefined) JSON.parse(mended);
        expect(inPieces(text)).toBe(mended ?? text);
      }),
      { numRuns: rounds(2000, 20_000) },
    );
  });
});
