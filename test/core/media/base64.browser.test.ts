/** In a browser that has methods of its own for it: they must take what `atob` takes, and nothing else. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../../src/core/media/base64.js';

/** What every browser has. */
function viaBinary(text: string): number[] | undefined {
  try {
    return Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

it('the browser has methods of its own', () => {
  expect(Uint8Array).toHaveProperty('fromBase64');
});

it('texts are decoded, or refused, as `atob` does', () => {
  const letters = fc.stringMatching(/^[AZaz09+/=_ \n\t\f\r\v\u00a0é-]{0,12}$/);
  const valid = fc.uint8Array({ maxLength: 40 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
  const wrapped = valid.map((text) => text.replaceAll(/.{4}/g, '$&\r\n').replace(/=+$/, ''));
  fc.assert(
    fc.property(fc.oneof(letters, valid, wrapped), (text) => {
      const bytes = decodeBase64(text);
      expect(bytes && [...bytes]).toEqual(viaBinary(text));
    }),
    { numRuns: 2_000 },
  );
});

it('bytes are encoded as `btoa` does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(encodeBase64(bytes.subarray(1))).toBe(btoa(String.fromCharCode(...bytes.subarray(1))));
    }),
  );
});
