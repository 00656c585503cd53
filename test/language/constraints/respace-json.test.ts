import { describe, expect, it } from 'vitest';
import { respaceJson } from '../../../src/language/constraints/respace-json.js';

describe('the beginning of a JSON text', () => {
  it.each([
    ['{', '{', '{'],
    ['{\n  "a": 1,\n  "b"', '{"a": 1, "b"', '{"a":1,"b"'],
    ['{"a" : "x, y:  z', '{"a": "x, y:  z', '{"a":"x, y:  z'],
    [String.raw`{"a":"\"b\": \\", "c":`, String.raw`{"a": "\"b\": \\", "c":`, String.raw`{"a":"\"b\": \\","c":`],
    [String.raw`{"a": "b\ `.trim(), String.raw`{"a": "b\ `.trim(), String.raw`{"a":"b\ `.trim()],
    ['[1, 2 ,3', '[1, 2, 3', '[1,2,3'],
  ])('%j has the blanks of the model', (text, spaced, compact) => {
    expect([respaceJson(text, 'spaced'), respaceJson(text, 'compact')]).toEqual([spaced, compact]);
  });
});
