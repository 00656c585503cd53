import { describe, expect, it } from 'vitest';
import { RunQueue } from '../../../src/service/scheduler/run-queue.js';

const never = new AbortController().signal;

describe('RunQueue', () => {
  it('serves in the order of arrival, one at a time', async () => {
    const queue = new RunQueue();
    const order: number[] = [];
    let inside = 0;
    const visit = async (number: number): Promise<void> => {
      const release = await queue.acquire(never);
      expect(++inside).toBe(1);
      order.push(number);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
      release();
    };
    await Promise.all([1, 2, 3, 4].map(visit));
    expect(order).toEqual([1, 2, 3, 4]);
    expect(queue.busy).toBe(false);
  });

  it('lets nobody slip in between a release and the next in line', async () => {
    const queue = new RunQueue();
    const release = await queue.acquire(never);
    const waiting = queue.acquire(never);
    release();
    expect(queue.busy).toBe(true);
    (await waiting)();
    expect(queue.busy).toBe(false);
  });

  it('forgets those who leave while waiting', async () => {
    const queue = new RunQueue();
    const release = await queue.acquire(never);
    const controller = new AbortController();
    const leaving = queue.acquire(controller.signal);
    const staying = queue.acquire(never);
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    expect(queue.length).toBe(1);
    release();
    (await staying)();
    expect(queue.busy).toBe(false);
  });

  it('takes a second call of release for nothing', async () => {
    const queue = new RunQueue();
    const release = await queue.acquire(never);
    release();
    const next = await queue.acquire(never);
    release();
    expect(queue.busy).toBe(true);
    next();
  });
});
