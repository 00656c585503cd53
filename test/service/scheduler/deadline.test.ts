import { afterEach, expect, it, vi } from 'vitest';
import { Deadline } from '../../../src/service/scheduler/deadline.js';

afterEach(() => vi.useRealTimers());

const never = new AbortController().signal;

it.each([2_147_484, 1e9, Infinity])('%s seconds are longer than a timer can wait: no timeout', async (seconds) => {
  const deadline = new Deadline(seconds, never);
  deadline.start();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(deadline.signal.aborted).toBe(false);
  deadline.dispose();
});

it('[X16] aborts with timeout when its seconds are over, and not before', async () => {
  vi.useFakeTimers();
  const deadline = new Deadline(2_000_000, never);
  deadline.start();
  await vi.advanceTimersByTimeAsync(1_999_999_999);
  expect(deadline.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(deadline.signal.reason).toMatchObject({ code: 'timeout' });
});
