import { expect, it } from 'vitest';
import { promptPieces } from '../../../src/engines/web-llm/web-llm-text-engine.js';

const image = (key: number, tokenCount: number) => [key, { key, tokenCount, text: '' }] as const;

it('reads text in blocks, and every image whole and alone', () => {
  const images = new Map([image(-1, 3), image(-2, 1)]);
  const keys = [7, 7, 7, 7, 7, -1, -1, -1, -1, -1, -1, 8, -2, 9];
  const pieces = [...promptPieces(keys, images, 4)];
  expect(pieces.map((piece) => [piece.keys, piece.image?.key])).toEqual([
    [[7, 7, 7, 7], undefined],
    [[7], undefined],
    [[-1, -1, -1], -1],
    [[-1, -1, -1], -1],
    [[8], undefined],
    [[-2], -2],
    [[9], undefined],
  ]);
  expect([...promptPieces([], images, 4)]).toEqual([]);
});
