import { describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { ForwardPass, Span } from '../../../../src/model/engines/gguf/forward.js';
import type { KvSequence } from '../../../../src/model/engines/gguf/kv-pages.js';
import { PassQueue } from '../../../../src/model/engines/gguf/pass-queue.js';

const kv = { length: 0, reserve: () => {} } as unknown as KvSequence;
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
