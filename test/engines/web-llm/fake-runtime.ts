/**
 * WebLLM's own engine and pipeline over a runtime that computes nothing: a tensor knows its shape and what it was made of, and
 * logits depend on all that was read. What Phi-3.5-vision's compiled library would do is not shown by this; what WebLLM hands to
 * it is. For Chromium tests.
 */
import type { LogitProcessor, MLCEngineConfig, ModelRecord } from '@mlc-ai/web-llm';
import type { WebLlmEngine, WebLlmModule } from '../../../src/engines/web-llm/web-llm-environment.js';

/** One call of the image kernel. */
interface ImageCall {
  shape: readonly number[];
  dtype: string;
  firstPixel: readonly number[];
  resized: readonly number[];
  tiles: readonly number[];
}

export interface FakeRuntime {
  /** Absent: the library has no kernel for images. */
  images: ImageCall[] | undefined;
  /** Tokens of each pass. */
  passes: number[];
  prefillChunkSize: number;
  vocabularySize: number;
}

class FakeTensor {
  /** What the tensor was made of: token ids, numbers that stand for pixels, or values. */
  content: readonly number[] = [];
  readonly shape: readonly number[];
  readonly dtype: string;

  constructor(shape: readonly number[], dtype: string, content: readonly number[] = []) {
    this.shape = shape;
    this.dtype = dtype;
    this.content = content;
  }

  copyFrom(given: FakeTensor | ArrayLike<number>): this {
    this.content = given instanceof FakeTensor ? given.content : Array.from(given);
    return this;
  }

  view(shape: readonly number[]): FakeTensor {
    return new FakeTensor(shape, this.dtype, this.content);
  }

  toArray(): Float32Array {
    return Float32Array.from(this.content);
  }

  dispose(): void {}
}

const same = <Value>(value: Value): Value => value;

const tvm = {
  beginScope() {},
  endScope() {},
  detachFromCurrentScope: same,
  attachToCurrentScope: same,
  makeShapeTuple: same,
  empty: (shape: readonly number[], dtype: string) => new FakeTensor(shape, dtype),
  uniform: (shape: readonly number[]) => new FakeTensor(shape, 'float32', [0]),
  cpu: () => 'cpu',
};

const hashOf = (values: Iterable<number>): number => {
  let hash = 2166136261;
  for (const value of values) hash = Math.imul(hash ^ value, 16777619);
  return hash >>> 0;
};

/** Words of tiny-chat alone may win. */
function logitsAfter(read: readonly number[], size: number): FakeTensor {
  const logits = Array.from({ length: size }, () => -50);
  let hash = hashOf(read);
  for (let token = 500; token < 3300; token += 7) {
    hash = Math.imul(hash ^ token, 16777619);
    logits[token] = ((hash >>> 8) % 4096) / 512;
  }
  return new FakeTensor([1, 1, size], 'float32', logits);
}

/** Everything that the constructor would take from a compiled library. */
function libraryOf(runtime: FakeRuntime, config: object): object {
  const cache: { read: number[] } = { read: [] };
  const read = (embedded: FakeTensor): { get(): FakeTensor } => {
    cache.read.push(...embedded.content);
    runtime.passes.push(embedded.content.length);
    return { get: () => logitsAfter(cache.read, runtime.vocabularySize) };
  };
  const embedImage = (pixels: FakeTensor, ...given: (readonly number[])[]): FakeTensor => {
    const sizes = given.slice(0, 4).map(([size]) => size!);
    const [height, width, rows, columns] = sizes as [number, number, number, number];
    const firstPixel = pixels.content.slice(0, 3);
    runtime.images?.push({
      shape: pixels.shape,
      dtype: pixels.dtype,
      firstPixel,
      resized: [height, width],
      tiles: [rows, columns],
    });
    const hash = hashOf(pixels.content);
    // As the compiled model: the tiles' lines, a divider, the whole.
    const places = rows * 12 * (columns * 12 + 1) + 1 + 12 * 13;
    return new FakeTensor(
      [places, 8],
      'float32',
      Array.from({ length: places }, () => hash),
    );
  };
  const sorted = (probabilities: FakeTensor): { get(index: number): FakeTensor } => {
    const order = [...probabilities.content.keys()].toSorted(
      (a, b) => probabilities.content[b]! - probabilities.content[a]!,
    );
    return { get: () => new FakeTensor([order.length], 'int32', order) };
  };
  return {
    tvm,
    config,
    device: { sync: async () => {} },
    params: {},
    conversation: { reset() {} },
    imageDataCache: new Map(),
    ...(runtime.images && { image_embed: embedImage }),
    embed: (ids: FakeTensor) => new FakeTensor([ids.content.length, 8], 'float32', ids.content),
    prefill: read,
    decoding: read,
    resolvedModelABI: { prefillABI: 'single', decodeABI: 'single', needsKVCache: true, needsRNNState: false },
    kvCache: cache,
    fKVCacheBeginForward() {},
    fKVCacheEndForward() {},
    fKVCacheAddSequence() {},
    fclearKVCaches: (cleared: typeof cache) => (cleared.read.length = 0),
    filledKVCacheLength: 0,
    slidingWindowSize: -1,
    prefillChunkSize: runtime.prefillChunkSize,
    fullVocabSize: runtime.vocabularySize,
    fsoftmaxWithTemperature: (logits: FakeTensor) => logits,
    fargsortProbs: sorted,
    fsampleWithTopP: (_: FakeTensor, order: FakeTensor) => new FakeTensor([1], 'int32', order.content.slice(0, 1)),
    sampleIndices: Int32Array.of(0),
    topPDevice: new FakeTensor([1], 'float32'),
  };
}

/** What is taken of the library beside its interface. */
interface Library extends WebLlmModule {
  LLMChatPipeline: { prototype: object };
}

let imported: Promise<Library> | undefined;

/** The library itself, and what it exports to nobody. */
async function importLibrary(): Promise<Library> {
  const { default: source } = await import('../../../node_modules/@mlc-ai/web-llm/lib/index.js?raw');
  const url = URL.createObjectURL(new Blob([source, '\nexport { LLMChatPipeline };'], { type: 'text/javascript' }));
  try {
    return (await import(/* @vite-ignore */ url)) as Library;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The module, whose engines load nothing: the pipeline is put where `reload` would have put it. */
export async function webLlmOver(runtime: FakeRuntime, config: object): Promise<WebLlmModule> {
  const library = await (imported ??= importLibrary());
  const load = (engine: WebLlmEngine, engineConfig: MLCEngineConfig, id: string, settings: object): void => {
    const record = engineConfig.appConfig!.model_list.find((one: ModelRecord) => one.model_id === id)!;
    const logitProcessor: LogitProcessor | undefined = engineConfig.logitProcessorRegistry?.get(id);
    const pipeline = Object.create(library.LLMChatPipeline.prototype) as object;
    Object.assign(pipeline, libraryOf(runtime, { ...config, ...settings }), { logitProcessor });
    const maps = engine as unknown as Record<string, Map<string, unknown>>;
    maps['loadedModelIdToPipeline']!.set(record.model_id, pipeline);
    maps['loadedModelIdToChatConfig']!.set(record.model_id, config);
    maps['loadedModelIdToLock']!.set(record.model_id, {});
  };
  class Engine extends library.MLCEngine {
    constructor(engineConfig: MLCEngineConfig) {
      super(engineConfig);
      this.reload = async (id, settings = {}) => load(this, engineConfig, String(id), settings);
      this.unload = async () => {};
    }
  }
  return { ...library, MLCEngine: Engine };
}
