import { expect, it } from 'vitest';
import { DecodingCount } from '../../../src/engines/common/decoding-count.js';

it('counts each sequence once, however often it leaves', () => {
  const decoding = new DecodingCount();
  const [leave, other] = [decoding.join(), decoding.join()];
  expect([decoding.count, decoding.isShared]).toEqual([2, true]);
  leave();
  leave();
  expect([decoding.count, decoding.isShared]).toEqual([1, false]);
  other();
  expect(decoding.count).toBe(0);
});
