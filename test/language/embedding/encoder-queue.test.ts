import { describe, expect, it } from 'vitest';
import { EncoderQueue } from '../../../src/language/embedding/encoder-queue.js';

const never = new AbortController().signal;

/** A queue whose "vector" is the text's first token, and the sizes of the batches that ran. */
function recordingQueue() {
  const batches: number[] = [];
  const queue = new EncoderQueue(async (batch: readonly (readonly number[])[]) => {
    batches.push(batch.length);
    if (batch.some((ids) => ids[0] === 13)) throw new Error('unlucky');
    return batch.map((ids) => new Float32Array([ids[0]!]));
  });
  return { queue, batches };
}

describe('EncoderQueue', () => {
  it('lets concurrent requests share a batch and gives each its own vectors in order', async () => {
    const { queue, batches } = recordingQueue();
    const answers = await Promise.all([
      queue.run(
        [
          [1, 0],
          [2, 0],
        ],
        never,
      ),
      queue.run([[3, 0]], never),
      queue.run(
        [
          [4, 0],
          [5, 0],
          [6, 0],
        ],
        never,
      ),
    ]);
    expect(batches).toEqual([6]);
    expect(answers.map((vectors) => vectors.map((vector) => vector[0]))).toEqual([[1, 2], [3], [4, 5, 6]]);
  });

  it('keeps batches within the token budget and texts of unlike length apart', async () => {
    const { queue, batches } = recordingQueue();
    const text = (length: number) => Array.from({ length }, () => 1);
    await queue.run([...Array.from({ length: 40 }, () => text(50)), text(3)], never);
    expect(Math.max(...batches)).toBeLessThanOrEqual(10);
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(41);
    expect(batches).toContain(1);
  });

  it('fails only the requests of the failing batch', async () => {
    const { queue } = recordingQueue();
    await expect(queue.run([[13]], never)).rejects.toThrow('unlucky');
    expect(await queue.run([[7]], never)).toHaveLength(1);
  });

  it('rejects at once when the signal is already aborted', async () => {
    const { queue } = recordingQueue();
    await expect(queue.run([[1]], AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });
});
