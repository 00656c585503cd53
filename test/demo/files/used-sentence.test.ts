import { expect, it } from 'vitest';
import { usedSentence } from '../../../demo/files/used-sentence.js';

const TEXT = 'We sell tea. The shop opens at nine. Bring a bag for the shop.';

it.each([
  ['When does the shop open? It opens at nine.', 'The shop opens at nine.'],
  ['Bring a bag to the shop', 'Bring a bag for the shop.'],
  ['zebra', ''],
])('finds what %j rests on', (near, sentence) => {
  const found = usedSentence(TEXT, near);
  expect(found.sentence).toBe(sentence);
  expect(found.before + found.sentence + found.behind).toBe(TEXT);
});
