import { expect, it } from 'vitest';
import { takeTurn } from '../../src/extension/host/origin-turns.js';

const stay = new AbortController().signal;

it('four of an origin run, sixteen wait in order, one more is refused, and other origins have turns of their own', async () => {
  const leave = await Promise.all(Array.from({ length: 4 }, () => takeTurn('https://a.test', stay)));
  const begun: number[] = [];
  const waiting = Array.from({ length: 16 }, async (_, index) => {
    const end = await takeTurn('https://a.test', stay);
    begun.push(index);
    return end;
  });
  await expect(takeTurn('https://a.test', stay)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    details: { retryAfter: 1 },
  });
  (await takeTurn('https://b.test', stay))();
  expect(begun).toEqual([]);
  for (const end of leave) end();
  for (const turn of waiting) (await turn)();
  expect(begun).toEqual(Array.from({ length: 16 }, (_, index) => index));
});

it('whoever leaves while it waits makes room, also at the moment when its turn comes', async () => {
  const leave = await Promise.all(Array.from({ length: 4 }, () => takeTurn('https://a.test', stay)));
  const left = new AbortController();
  const [early, late] = [takeTurn('https://a.test', left.signal), takeTurn('https://a.test', left.signal)];
  const last = takeTurn('https://a.test', stay);
  leave[0]!();
  left.abort(new Error('gone'));
  await expect(late).rejects.toThrow('gone');
  const ended = await early.then(
    (end) => end(),
    () => {},
  );
  expect(ended).toBeUndefined();
  (await last)();
  for (const end of leave.slice(1)) end();
});
