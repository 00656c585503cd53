import { afterEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { assembleOn, chooseGpu, confirmGpu, refuseEncoder } from '../../../src/engines/gguf/choose-gpu.js';
import { findGpu } from '../../../src/engines/gguf/gpu-candidate.js';
import { planDecoder, type PlannedModel } from '../../../src/engines/gguf/assemble-text-model.js';
import type { GpuModel } from '../../../src/engines/gguf/webgpu/gguf-webgpu.js';
import { countingDevice } from './support/counting-device.js';
import { layeredFile } from './support/layered-files.js';
import { tinyFile } from './support/tiny-file.js';
import { headerOf, TINY_ENTRY } from './support/tiny-model.js';

afterEach(() => vi.unstubAllGlobals());

const AUTO: ModelEntry = TINY_ENTRY;
const WEBGPU: ModelEntry = { ...TINY_ENTRY, device: 'webgpu' };
const ON_AUTO = expect.stringContaining('With `device: "auto"` it runs on WASM.') as string;

interface Adapter {
  isFallbackAdapter?: boolean;
  /** What an allocation says. */
  memory?: 'enough' | 'full';
  /** Bytes of a binding. */
  binding?: number;
  features?: readonly GPUFeatureName[];
}

/** A browser with a GPU, or with none. */
function browserWith(adapter: Adapter | null) {
  const wanted: GPUDeviceDescriptor[] = [];
  const asked = vi.fn<() => Promise<GPUAdapter | null>>(async () => adapter && adapterOf(adapter, wanted));
  vi.stubGlobal('navigator', { gpu: { requestAdapter: asked }, userAgent: 'test' });
  return { asked, wanted };
}

function adapterOf(
  { isFallbackAdapter = false, memory = 'enough', binding = 2 ** 27, features = [] }: Adapter,
  wanted: GPUDeviceDescriptor[],
): GPUAdapter {
  const limits = { maxBufferSize: binding, maxStorageBufferBindingSize: binding };
  const requestDevice = async (descriptor: GPUDeviceDescriptor): Promise<GPUDevice> => {
    wanted.push(descriptor);
    return Object.assign(countingDevice().device, {
      limits,
      pushErrorScope: () => {},
      popErrorScope: async () => (memory === 'full' ? { message: 'out of memory' } : null),
    });
  };
  return { info: { isFallbackAdapter }, limits, features: new Set(features), requestDevice } as unknown as GPUAdapter;
}

async function planned(entry = AUTO): Promise<PlannedModel> {
  return planDecoder(entry, await headerOf(tinyFile()));
}

const choose = async (entry: ModelEntry, model?: PlannedModel): ReturnType<typeof chooseGpu> =>
  chooseGpu(entry, await findGpu(entry), model ?? (await planned()));

describe('where a GGUF model runs', () => {
  it('[W60] `wasm` never asks for an adapter', async () => {
    const { asked } = browserWith({});
    await expect(findGpu({ ...AUTO, device: 'wasm' })).resolves.toEqual({});
    expect(asked).not.toHaveBeenCalled();
  });

  it('[W62] `auto` takes a GPU that has room, with the limits that it has', async () => {
    browserWith({});
    const { model, refusal } = await choose(AUTO);
    expect(refusal).toBeUndefined();
    expect(model).toMatchObject({ limit: 2 ** 27, shape: { contextLength: 512 } });
  });

  it.each<readonly GPUFeatureName[]>([[], ['timestamp-query'], ['timestamp-query', 'shader-f16', 'subgroups']])(
    '[W63] of the features of a GPU (%s, %s, %s) only its clock is asked for',
    async (...features) => {
      const { wanted } = browserWith({ features });
      await choose(AUTO);
      expect(wanted).toMatchObject([{ requiredFeatures: features.slice(0, 1) }]);
    },
  );

  it.each<[string, Adapter | null | undefined, Partial<ModelEntry>, RegExp]>([
    ['a browser without WebGPU', undefined, {}, /does not offer WebGPU/],
    ['a browser without an adapter', null, {}, /no GPU to offer/],
    ['adapters of LoRA', {}, { loras: [{ source: 'https://app.test/lora.gguf' }] }, /loras/],
    ['keys and values of 8 bits', {}, { kvCache: 'q8' }, /kvCache/],
    ['too little memory', { memory: 'full' }, {}, /needs \d+ MB/],
    ['bindings that are too small', { binding: 2 ** 16 }, {}, /binds 1 MB/],
  ])(
    '[W61] [W62] %s: `auto` runs on WASM and says why, `webgpu` is refused by name',
    async (_, adapter, entry, why) => {
      if (adapter === undefined) vi.stubGlobal('navigator', { userAgent: 'test' });
      else browserWith(adapter);
      const chosen = await choose({ ...AUTO, ...entry });
      expect(chosen.model).toBeUndefined();
      const confirmed = await confirmGpu(AUTO, chosen, {
        source: {} as Parameters<typeof confirmGpu>[2]['source'],
        warn: () => {},
        onProgress: () => {},
      });
      expect(confirmed.openForward).toBeUndefined();
      expect(confirmed.deviceReason).toMatch(/^It does not run on WebGPU, because .*\.$/);
      expect(confirmed.deviceReason).toMatch(why);
      const refused = choose({ ...WEBGPU, ...entry });
      await expect(refused).rejects.toMatchObject({
        code: entry.loras || entry.kvCache ? 'model_not_supported' : 'insufficient_resources',
        message: ON_AUTO,
        details: { param: 'device' },
      });
      await expect(refused).rejects.toThrow(why);
    },
  );

  it('[W61] says how much room it needs', async () => {
    browserWith({ memory: 'full' });
    await expect(choose(WEBGPU)).rejects.toMatchObject({ details: { neededBytes: expect.any(Number) as number } });
  });

  it('[W61] a kind of tensor without shaders is refused with its name, and runs on WASM', async () => {
    browserWith({});
    const model = await planned();
    const { plan } = model;
    const embedding = { ...plan.embedding, tensor: { ...plan.embedding.tensor, kind: 'IQ1_S' as const } };
    const strange = { ...model, plan: { ...plan, embedding } };
    await expect(choose(WEBGPU, strange)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(/token_embd\.weight.*IQ1_S/) as string,
    });
    expect((await choose(AUTO, strange)).refusal?.why).toContain('IQ1_S');
  });

  it('[W61] [W62] [W70] a large table of inputs that can stay in the store takes no room on the GPU', async () => {
    browserWith({});
    const model = planDecoder(AUTO, await headerOf(layeredFile({ hasInputs: true })), true);
    const { plan } = model;
    const inputs = plan.layerInputs!;
    const rows = 2 ** 20;
    const table = { ...inputs.table, rows, tensor: { ...inputs.table.tensor, bytes: rows * 512 } };
    const large = { ...model, plan: { ...plan, layerInputs: { ...inputs, table } } };
    const tableOf = async (given: PlannedModel) => (await choose(AUTO, given)).model?.placed.inputs?.table;
    await expect(tableOf(large)).resolves.toBeUndefined();
    await expect(tableOf({ ...large, isStored: false })).resolves.toHaveLength(5);
    await expect(tableOf(model)).resolves.toHaveLength(1);
    browserWith({ memory: 'full' });
    const needed = async (given: PlannedModel) => (await choose(AUTO, given)).refusal!.neededBytes!;
    expect((await needed({ ...large, isStored: false })) - (await needed(large))).toBe(rows * 512);
  });

  it('[W61] [W62] a GPU that the processor plays: `auto` passes it over, `webgpu` takes it', async () => {
    browserWith({ isFallbackAdapter: true });
    expect((await choose(AUTO)).refusal?.why).toContain('simulated by the processor');
    expect(await choose(WEBGPU)).toMatchObject({ isSimulated: true });
  });

  it('[W61] encoders run on WASM alone', async () => {
    browserWith({});
    const offer = await findGpu(WEBGPU);
    expect(refuseEncoder(AUTO, offer).refusal?.why).toContain('encoders');
    expect(() => refuseEncoder(WEBGPU, offer)).toThrow(
      expect.objectContaining({ code: 'model_not_supported' }) as Error,
    );
  });
});

describe('the trial of a GPU', () => {
  const model = { device: { destroy: () => {} }, identity: 'card' } as unknown as GpuModel;
  const facts = new Map<string, boolean>();
  const source = {
    file: 'a.gguf',
    files: {
      fact: async (_: string, question: string) => facts.get(question),
      // As in a store, of two that are written at the same time one is lost.
      keepFact: async (_: string, question: string, answer: boolean) => {
        const before = [...facts];
        await Promise.resolve();
        facts.clear();
        for (const [known, its] of before) facts.set(known, its);
        facts.set(question, answer);
      },
    },
  } as unknown as Parameters<typeof confirmGpu>[2]['source'];
  const remember = (isRight: boolean, keepsBits: boolean): void => {
    facts.set('computes right (card)', isRight);
    facts.set('keeps bits (card)', keepsBits);
  };
  const confirm = async (entry: ModelEntry, isSimulated = false) => {
    const [warnings, stages]: [string[], string[]] = [[], []];
    const options = {
      source,
      warn: (text: string) => void warnings.push(text),
      onProgress: ({ stage }: { stage: string }) => void stages.push(stage),
    };
    const confirmed = await confirmGpu(entry, { model, isSimulated }, options);
    return { ...confirmed, warnings, stages };
  };

  it('[W71] that was right once for this GPU, browser and version is not made again, and says that shaders are compiled', async () => {
    remember(true, true);
    const confirmed = await confirm(AUTO);
    expect(confirmed).toMatchObject({ warnings: [], stages: ['compile'] });
    expect(confirmed.openForward).toBeDefined();
  });

  it('[W65] that shows another order of additions leads to a warning', async () => {
    remember(true, false);
    expect((await confirm(AUTO)).warnings.join()).toContain('last bits');
  });

  it('[W61] of a simulated GPU leads to a warning', async () => {
    remember(true, true);
    expect((await confirm(WEBGPU, true)).warnings.join()).toContain('simulated');
  });

  it('[W61] [W62] [W71] that fails leads to WASM with a reason, and with `webgpu` to a refusal; a GPU that cannot try fails', async () => {
    facts.clear();
    // This model is none: what is tried with it throws.
    const confirmed = await confirm(AUTO);
    expect(confirmed.openForward).toBeUndefined();
    expect(confirmed.deviceReason).toContain('self-check');
    // What is remembered is kept with the file, which is there as a whole when the model is.
    expect(facts.size).toBe(0);
    await expect(assembleOn(AUTO, confirmed, async () => 'on WASM')).resolves.toBe('on WASM');
    expect(facts.get('computes right (card)')).toBe(false);
    expect(facts.get('keeps bits (card)')).toBe(false);
    await expect(confirm(WEBGPU)).rejects.toMatchObject({ code: 'model_not_supported', message: ON_AUTO });
  });
});

describe('a GPU that fails while a model is loaded', () => {
  const openForward = () => Promise.reject(new Error('It burns.'));
  const assemble = vi.fn<Parameters<typeof assembleOn<string>>[2]>(async (on) => {
    if (on.openForward) await on.openForward(async () => new Uint8Array());
    return on.deviceReason ?? '';
  });

  it('[W62] is left for WASM by `auto`, which says why, and how it was found is kept', async () => {
    const keep = vi.fn<() => Promise<void>>(async () => {});
    await expect(assembleOn(AUTO, { openForward, keep }, assemble)).resolves.toBe(
      'It does not run on WebGPU, because the GPU failed when the model was loaded: It burns.',
    );
    expect(keep).toHaveBeenCalledTimes(1);
  });

  it('[W61] ends the load with `webgpu`, and any load that is canceled', async () => {
    await expect(assembleOn(WEBGPU, { openForward }, assemble)).rejects.toThrow('It burns.');
    const canceled = { openForward: () => Promise.reject(new InferenceError('cancelled', 'Over.')) };
    await expect(assembleOn(AUTO, canceled, assemble)).rejects.toMatchObject({ code: 'cancelled' });
  });
});
