import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import { CitationReader } from '../../../../src/service/http/responses/citations.js';

const SOURCES = [
  { fileId: 'file-a', filename: 'a', text: 'One two three four five six seven eight nine ten.' },
  { fileId: 'file-b', filename: 'b', text: 'Other words.' },
];

function read(pieces: readonly string[]) {
  const reader = new CitationReader(SOURCES);
  const all = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return {
    text: all.map(({ text }) => text).join(''),
    found: all.flatMap(({ citations }) => citations.map(({ file_id, index }) => [file_id.slice(-1), index])),
  };
}

it('[F22] takes marks out, wherever the stream is cut', () => {
  const text =
    'A【1】 b【2】【3】. 【x One two three four five six seven eight! Yes. One two three four five six seven eight.【2】 c【';
  const whole = read([text]);
  expect(whole.text).toBe(text.replace('【1】', '').replaceAll('【2】', ''));
  expect(whole.found).toEqual([
    ['a', 1],
    ['b', 3],
    ['a', whole.text.indexOf('!') + 1],
    ['b', whole.text.lastIndexOf('.') + 1],
  ]);
  assert(
    property(array(nat(text.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(read(pieces)).toEqual(whole);
    }),
  );
});
