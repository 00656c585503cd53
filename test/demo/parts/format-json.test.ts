import { expect, it } from 'vitest';
import { formatJson } from '../../../demo/parts/format-json.js';

it('keeps on a line what fits on it, with the name before it', () => {
  const short = { stream_options: { include_usage: true }, empty: [] };
  expect(formatJson(short)).toBe('{\n  "stream_options": { "include_usage": true },\n  "empty": []\n}');
  const long = { input: ['what time does my plane depart'], stream: true };
  expect(formatJson(long)).toBe('{\n  "input": [\n    "what time does my plane depart"\n  ],\n  "stream": true\n}');
});

it('is JSON with the same value', () => {
  const value = { a: [1, [2, { b: 'x'.repeat(60) }], {}], c: null, d: { e: { f: [true, false] } } };
  expect(JSON.parse(formatJson(value))).toEqual(value);
});
