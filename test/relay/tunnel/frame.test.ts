import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from '../../../src/relay/tunnel/frame.js';

const carried = (value: unknown): unknown => {
  const frame = decodeFrame(encodeFrame({ channel: 7, value, ports: [] }));
  expect([frame.channel, frame.closed, frame.ports]).toEqual([7, false, []]);
  return frame.read([]).value;
};

describe('a message as bytes', () => {
  it('is what structured cloning makes of it', () => {
    const values = fc.anything({ withBigInt: true, withTypedArray: true, withNullPrototype: true });
    fc.assert(
      fc.property(values, (value) => {
        expect(carried(value)).toStrictEqual(structuredClone(value));
      }),
    );
  });

  it.each([
    undefined,
    Number.NaN,
    -0,
    -Infinity,
    2n ** 80n,
    '\ud800 alone',
    { text: undefined, list: [undefined, null] },
    { $kind: 'undefined' },
    { $kind: 'view', index: 0 },
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as object,
    new Float32Array([0.5, -1]),
    new Uint8Array(0),
    new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 3),
    [new Uint8Array([1]), { audio: new Float64Array([2]) }, new Uint8Array([3, 4]).buffer],
  ])('keeps %o', (value) => {
    expect(carried(value)).toStrictEqual(structuredClone(value));
  });

  it('gives ports back in their places', () => {
    const [first, second] = [{}, {}];
    const bytes = encodeFrame({ channel: 1, value: { b: second, a: [first] }, ports: [3, 5] }, [first, second]);
    const frame = decodeFrame(bytes);
    expect(frame.ports).toEqual([3, 5]);
    expect(frame.read(['first', 'second']).value).toEqual({ b: 'second', a: ['first'] });
  });

  it.each([() => {}, Symbol('a'), new Map(), new Error('no')])('refuses %o', (value) => {
    expect(() => encodeFrame({ channel: 1, value, ports: [] })).toThrow(/A message cannot hold/);
  });

  it('is refused where it was not made here', () => {
    for (const bytes of [[], [0, 0, 0, 9, 1], [0, 0, 0, 2, 0x7b, 0x7d]])
      expect(() => decodeFrame(new Uint8Array(bytes)).read([])).toThrow(/./);
  });
});
