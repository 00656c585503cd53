import { describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../src/core/platform/pause.js';
import type { ForwardPass, Span } from '../../../src/engines/gguf/forward.js';
import type { KvSequence } from '../../../src/engines/gguf/kv-pages.js';
import { PassQueue } from '../../../src/engines/gguf/pass-queue.js';

const kv = { length: 0, reserve: () => {}, untilStop: (count: number) => count } as unknown as KvSequence;
const prompt = { kv, tokens: Array.from({ length: 100 }, (_, index) => index), keep: 1, isPrompt: true };

/** A pass that gives logits of nothing. */
const right = (spans: readonly Span[]): Float32Array<ArrayBuffer>[][] =>
  spans.map(({ keep }) => Array.from({ length: keep }, () => new Float32Array(1)));

describe('a pass that fails', () => {
  it('for a reason that is not memory loses the engine: all who wait are told, and whoever comes later', async () => {
    const lost = vi.fn<(error: InferenceError) => void>();
    const run = vi.fn<ForwardPass['run']>(() => {
      throw new WebAssembly.RuntimeError('unreachable');
    });
    const queue = new PassQueue({ run }, lost);
    const failure = { code: 'unavailable', details: { reason: 'unreachable' } };
    await Promise.all([
      expect(queue.read(prompt)).rejects.toMatchObject(failure),
      expect(queue.read({ ...prompt, keep: 2 })).rejects.toMatchObject(failure),
    ]);
    await expect(queue.read(prompt)).rejects.toMatchObject(failure);
    expect(lost).toHaveBeenCalledOnce();
    expect(run).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(queue.isBusy).toBe(false));
  });

  it('for want of memory fails alone', async () => {
    const lost = vi.fn<(error: InferenceError) => void>();
    const run = vi.fn<ForwardPass['run']>(right);
    run.mockImplementationOnce(() => {
      throw new InferenceError('insufficient_resources', 'Full.');
    });
    const queue = new PassQueue({ run }, lost);
    await expect(queue.read(prompt)).rejects.toMatchObject({ code: 'insufficient_resources' });
    await expect(queue.read(prompt)).resolves.toHaveLength(1);
    expect(lost).not.toHaveBeenCalled();
  });
});

describe('answers', () => {
  it.each([
    ['ask for their next token in the same turn', [0, 0, 0, 0]],
    ['ask some turns of the event loop after the last pass', [0, 1, 2, 3]],
    ['took turns with others at first', [2, 2, 2, 2]],
  ])('that %s share each pass', async (_, turns) => {
    const sizes: number[] = [];
    const run = vi.fn<ForwardPass['run']>((spans) => {
      sizes.push(spans.length);
      return right(spans);
    });
    const queue = new PassQueue({ run }, () => {});
    let written = 0;
    const answer = async (wait: number, index: number): Promise<void> => {
      // They come one after the other, the next one while the last pass runs.
      for (let turn = 0; turn < index; turn++) await yieldToEventLoop();
      await queue.read({ ...prompt, tokens: [1] });
      const leave = queue.join();
      for (let token = 0; token < 20; token++) {
        for (let turn = 0; turn < wait; turn++) await yieldToEventLoop();
        await queue.read({ kv, tokens: [token], keep: 1 });
        written += 1;
      }
      leave();
    };
    await Promise.all(turns.map(answer));
    expect(written).toBe(80);
    // Where all of them write, none is left out; the first ones begin earlier and end earlier.
    expect(sizes.filter((size) => size === 4).length).toBeGreaterThanOrEqual(15);
  });

  it('do not wait for one that does not ask any more', async () => {
    const queue = new PassQueue({ run: vi.fn<ForwardPass['run']>(right) }, () => {});
    queue.join();
    queue.join();
    await expect(queue.read({ kv, tokens: [1], keep: 1 })).resolves.toHaveLength(1);
  });
});
