import { expect, it } from 'vitest';
import { completeObject } from '../../../../src/service/http/fields/complete-object.js';

it('gives whole objects as they are', () => {
  const value = { a: [1, { b: 'x,]}"\\' }], c: null, 'd"{': true };
  expect(completeObject(JSON.stringify(value))).toEqual(value);
  expect(completeObject('')).toEqual({});
  expect(completeObject('[1]')).toEqual({});
});

it('keeps the complete members of every cut', () => {
  const text = '{"city":"Par,\\"is}","days":[1,22,{"x":"y"}],"unit":"C"}';
  const cities = new Set<unknown>();
  for (let length = 0; length < text.length; length += 1) {
    const object = completeObject(text.slice(0, length));
    expect(typeof object).toBe('object');
    cities.add(object['city']);
  }
  // Never half a string.
  expect(cities).toEqual(new Set([undefined, 'Par,"is}']));
  expect(completeObject('{"a":1,"b":[1,2')).toEqual({ a: 1, b: [1] });
  expect(completeObject('{"a":{"b":"c')).toEqual({ a: {} });
});
