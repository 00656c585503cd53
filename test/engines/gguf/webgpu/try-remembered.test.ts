import { describe, expect, it, vi } from 'vitest';
import type { GpuModel } from '../../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import { DEFAULT_TUNING, type ShaderTuning } from '../../../../src/engines/gguf/webgpu/shaders/tuning.js';
import { type TrialSource, tryRemembered } from '../../../../src/engines/gguf/webgpu/try-remembered.js';

const MODEL = { identity: 'card' } as GpuModel;
const RIGHT = { isRight: true, keepsBits: true };
const TUNED: ShaderTuning = { lanes: 64, halves: true };

/** A GPU whose fastest shaders these are, and what it computes with those of an identity. */
function gpuWith(tuning: ShaderTuning, outcomeOf: (identity: string) => typeof RIGHT = () => RIGHT) {
  let facts: Readonly<Record<string, boolean>> = {};
  const source = {
    file: 'a.gguf',
    files: {
      fact: async (_: string, question: string) => facts[question],
      // As in a store, of two that are written at the same time one is lost.
      keepFact: async (_: string, question: string, answer: boolean) => {
        const before = facts;
        await Promise.resolve();
        facts = { ...before, [question]: answer };
      },
    },
  } as unknown as TrialSource;
  const tuneGpu = vi.fn<() => Promise<ShaderTuning>>(async () => tuning);
  const tryGpu = vi.fn<(model: GpuModel) => Promise<typeof RIGHT>>(async ({ identity }) => outcomeOf(identity));
  /** As when a model is loaded to the end. */
  const open = async (isSimulated?: boolean) => {
    const { keep, ...trial } = await tryRemembered({ tuneGpu, tryGpu }, MODEL, source, isSimulated);
    await keep();
    return trial;
  };
  return { open, tuneGpu, tryGpu, source };
}

describe('[W63] [W71] the trial of a GPU', () => {
  it.each<[string, ShaderTuning]>([
    ['card', DEFAULT_TUNING],
    ['card, 32 sums', { lanes: 32, halves: false }],
    ['card, 16 sums, halves', { lanes: 16, halves: true }],
    ['card, 64 sums, halves', TUNED],
  ])('is made once with the fastest shaders, which have a name of their own: %s', async (identity, tuning) => {
    const { open, tuneGpu, tryGpu } = gpuWith(tuning);
    for (let times = 0; times < 2; times++) {
      const { tried, ...outcome } = await open();
      expect(outcome).toEqual(RIGHT);
      expect(tried).toEqual(tuning === DEFAULT_TUNING ? MODEL : { identity, tuning });
    }
    expect(tuneGpu).toHaveBeenCalledTimes(1);
    expect(tryGpu).toHaveBeenCalledTimes(1);
    expect(tryGpu).toHaveBeenCalledWith(expect.objectContaining({ identity }));
  });

  it.each([
    ['compute something else', { isRight: false, keepsBits: true }],
    ['add in another order', { isRight: true, keepsBits: false }],
  ])('that %s ends with the shaders for all GPUs', async (_, outcome) => {
    const { open, tryGpu } = gpuWith(TUNED, (identity) => (identity === 'card' ? RIGHT : outcome));
    for (let times = 0; times < 2; times++) await expect(open()).resolves.toEqual({ ...RIGHT, tried: MODEL });
    expect(tryGpu).toHaveBeenCalledTimes(2);
  });

  it('keeps nothing before the file is there as a whole, and each answer once then', async () => {
    const { source, tuneGpu, tryGpu } = gpuWith(TUNED);
    const keepFact = vi.spyOn(source.files, 'keepFact');
    const { keep } = await tryRemembered({ tuneGpu, tryGpu }, MODEL, source);
    expect(keepFact).not.toHaveBeenCalled();
    await keep();
    await keep();
    expect(keepFact).toHaveBeenCalledTimes(5);
  });

  it('measures nothing on a GPU that the processor plays', async () => {
    const { open, tuneGpu } = gpuWith(TUNED);
    await expect(open(true)).resolves.toEqual({ ...RIGHT, tried: MODEL });
    expect(tuneGpu).not.toHaveBeenCalled();
  });

  it('goes on where a full disk keeps nothing', async () => {
    const { open, source } = gpuWith(TUNED);
    source.files.keepFact = () => Promise.reject(new Error('Full.'));
    await expect(open()).resolves.toMatchObject({ ...RIGHT, tried: { tuning: TUNED } });
  });
});
