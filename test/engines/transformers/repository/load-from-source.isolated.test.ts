import { ModelFileNotFoundError, type PreTrainedModel } from '@huggingface/transformers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadFromSource, type ModelKind } from '../../../../src/engines/transformers/repository/load-from-source.js';
import type { ModelSource } from '../../../../src/engines/transformers/repository/model-source.js';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { RetryInNewWorker } from '../../../../src/core/models/retry-in-new-worker.js';

type SourceModule = typeof import('../../../../src/engines/transformers/repository/model-source.js');

const prepareSource = vi.hoisted(() => vi.fn<SourceModule['prepareSource']>());
vi.mock('../../../../src/engines/transformers/repository/model-source.js', () => ({ prepareSource }));
afterEach(() => void prepareSource.mockReset());

const ENTRY: ModelEntry = { id: 'm', task: 'chat', backend: 'transformers' };

/** A source on WASM with nothing wrong. */
function sourceOf(changes: Partial<ModelSource>): ModelSource {
  return {
    info: { device: 'wasm' },
    fetchFiles: async () => {},
    fileFailure: () => undefined,
    repair: async () => false,
    withOtherName: async () => undefined,
    weightsLost: new Promise<never>(() => {}),
    ...changes,
  } as unknown as ModelSource;
}

/** @param broken what one half of the load throws; the other one goes on */
function load(
  changes: Partial<ModelSource>,
  { broken, entry = ENTRY, leave }: { broken: unknown; entry?: ModelEntry; leave?: AbortController },
) {
  const source = sourceOf(changes);
  prepareSource.mockResolvedValue(source);
  const model = { dispose: vi.fn<PreTrainedModel['dispose']>(async () => []) };
  const kind: ModelKind<string, string> = {
    open: async () => model as unknown as PreTrainedModel,
    read: async () => {
      leave?.abort();
      throw broken;
    },
    assemble: () => 'loaded',
  };
  const { signal } = leave ?? new AbortController();
  const options = { signal, onProgress: () => {}, assetsURL: '', pageURL: 'http://localhost/' };
  return { loading: loadFromSource(entry, options, kind).catch((thrown: unknown) => thrown), model };
}

const onGpu = { device: 'webgpu' } as ModelSource['info'];
const broken = new Error('Unexpected end of JSON input');

describe('a load that breaks', () => {
  it('on a file that was damaged and is mended asks for a fresh realm, and keeps nothing here', async () => {
    const { loading, model } = load({ repair: async () => true }, { broken });
    const thrown = await loading;
    expect(thrown).toBeInstanceOf(RetryInNewWorker);
    expect(thrown).toMatchObject({ code: 'unavailable', entry: ENTRY });
    expect(model.dispose).toHaveBeenCalledOnce();
  });

  it('on whole files tells why', async () => {
    const thrown = await load({}, { broken }).loading;
    expect(thrown).not.toBeInstanceOf(RetryInNewWorker);
    expect(thrown).toMatchObject({
      code: 'unavailable',
      details: { reason: expect.stringContaining('JSON') as string },
    });
  });

  it('on a GPU that nobody asked for asks for a fresh realm on the CPU', async () => {
    expect(await load({ info: onGpu }, { broken }).loading).toMatchObject({ entry: { ...ENTRY, device: 'wasm' } });
    const wished = { ...ENTRY, device: 'webgpu' } as const;
    expect(await load({ info: onGpu }, { broken, entry: wished }).loading).not.toBeInstanceOf(RetryInNewWorker);
  });

  it('for what a GPU lacks asks for the CPU in a fresh realm, unless the entry demands the GPU', async () => {
    const lacking = new InferenceError('insufficient_resources', 'It lacks 16-bit floats.', { param: 'device' });
    const repair = vi.fn<ModelSource['repair']>();
    const thrown = await load({ info: onGpu, repair }, { broken: lacking }).loading;
    expect(thrown).toBeInstanceOf(RetryInNewWorker);
    expect(thrown).toMatchObject({ entry: { ...ENTRY, device: 'wasm' } });
    const wished = { ...ENTRY, device: 'webgpu' } as const;
    expect(await load({ info: onGpu, repair }, { broken: lacking, entry: wished }).loading).toBe(lacking);
    expect(repair).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<ModelSource>, unknown, string]>([
    ['by the store', {}, new InferenceError('insufficient_resources', 'No room.'), 'insufficient_resources'],
    ['with a file that is missing', {}, new ModelFileNotFoundError('Not there.'), 'unavailable'],
    ['with a file that did not come', { fileFailure: () => ({ url: 'http://h/f' }) }, broken, 'unavailable'],
  ])('%s is not tried again, nor are files read for it', async (_, changes, thrown, code) => {
    const repair = vi.fn<ModelSource['repair']>(async () => true);
    const outcome = await load({ info: onGpu, repair, ...changes }, { broken: thrown }).loading;
    expect(outcome).toMatchObject({ code });
    expect(outcome).not.toBeInstanceOf(RetryInNewWorker);
    expect(repair).not.toHaveBeenCalled();
  });

  it('because its caller left is cancelled', async () => {
    const repair = vi.fn<ModelSource['repair']>(async () => true);
    const outcome = await load({ info: onGpu, repair }, { broken, leave: new AbortController() }).loading;
    expect(outcome).toMatchObject({ code: 'cancelled' });
    expect(repair).not.toHaveBeenCalled();
  });

  it('on a file that cannot be had again tells that', async () => {
    const gone = new InferenceError('unavailable', 'The model’s file `f` could not be fetched.');
    const repair = async (): Promise<boolean> => Promise.reject(gone);
    expect(await load({ repair }, { broken }).loading).toBe(gone);
  });
});

describe('a load whose weights have another name', () => {
  const missing = new ModelFileNotFoundError('Not there.');
  function loadOther(other: Partial<ModelSource>, opens: (source: ModelSource) => Promise<PreTrainedModel>) {
    const named = sourceOf({ id: 'other', ...other });
    const usual = sourceOf({ id: 'usual', withOtherName: async () => named });
    prepareSource.mockResolvedValue(usual);
    const read = vi.fn<() => Promise<string>>(async () => 'texts');
    const open = vi.fn<(source: ModelSource) => Promise<PreTrainedModel>>(opens);
    const kind: ModelKind<string, string> = { open, read, assemble: ({ id }, _, texts) => `${id}, ${texts}` };
    const options = { signal: new AbortController().signal, onProgress: () => {}, assetsURL: '', pageURL: 'http://h/' };
    return { loading: loadFromSource(ENTRY, options, kind), open, read };
  }

  const model = { dispose: async () => [] } as unknown as PreTrainedModel;

  it('goes on with them, and reads the small files once', async () => {
    const { loading, open, read } = loadOther({}, async ({ id }) => {
      if (id === 'usual') throw missing;
      return model;
    });
    expect(await loading).toBe('other, texts');
    expect(open.mock.calls.map(([{ id }]) => id)).toEqual(['usual', 'other']);
    expect(read).toHaveBeenCalledOnce();
  });

  it('does not ask for them where those of the usual name open', async () => {
    const { loading, open } = loadOther({}, async () => model);
    expect(await loading).toBe('usual, texts');
    expect(open).toHaveBeenCalledOnce();
  });

  it('is refused for their size before they are opened', async () => {
    const refusal = new InferenceError('insufficient_resources', 'Too large.');
    const { loading, open } = loadOther({ fetchFiles: async () => Promise.reject(refusal) }, async () => {
      throw missing;
    });
    await expect(loading).rejects.toBe(refusal);
    expect(open).toHaveBeenCalledOnce();
  });
});
