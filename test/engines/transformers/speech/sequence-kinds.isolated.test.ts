import { expect, it } from 'vitest';
import { moonshineTokens } from '../../../../src/engines/transformers/speech/sequence-kinds.js';

it.each([
  [0.4, 6],
  [1, 6],
  [1.9, 12],
  [2.01, 13],
  [30, 180],
])('Moonshine writes as much of %s s as six tokens a second need', (seconds, tokens) => {
  expect(moonshineTokens(seconds)).toBe(tokens);
});
