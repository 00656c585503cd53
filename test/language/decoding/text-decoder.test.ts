import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenTextDecoder } from '../../../src/language/decoding/text-decoder.js';

describe('TokenTextDecoder', () => {
  it('gives the same text for every way of cutting the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat({ max: 5 })), (text, cuts) => {
        const bytes = new TextEncoder().encode(text);
        const decoder = new TokenTextDecoder();
        let from = 0;
        let decoded = '';
        for (const cut of cuts) {
          decoded += decoder.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        decoded += decoder.push(bytes.subarray(from)) + decoder.end();
        expect(decoded).toBe(text);
      }),
    );
  });

  it('keeps a byte order mark and shows a broken character', () => {
    const decoder = new TokenTextDecoder();
    expect(decoder.push(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
    expect(decoder.push(Uint8Array.of(0xf0, 0x9f))).toBe('');
    expect(decoder.end()).toBe('\ufffd');
  });
});
