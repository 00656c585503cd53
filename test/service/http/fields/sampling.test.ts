import { expect, it } from 'vitest';
import { EFFORTS, toEffort } from '../../../../src/service/http/fields/sampling.js';

it('[C44] efforts outside low to high mean the nearest of them', () => {
  expect(EFFORTS.map((effort) => [effort, toEffort(effort)])).toEqual([
    ['minimal', 'low'],
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['xhigh', 'high'],
    ['max', 'high'],
  ]);
});
