/**
 * WebLLM's engine without a GPU, strict where the real one is careless. Typed by WebLLM's own declarations, so that an
 * upgrade which changes them fails to compile.
 */
import type { ChatOptions, LogitProcessor, MLCEngineConfig, ModelRecord } from '@mlc-ai/web-llm';
import { prebuiltAppConfig } from '@mlc-ai/web-llm';
import type { WebLlmEngine, WebLlmModule } from '../../../src/engines/web-llm/web-llm-environment.js';

export interface FakeModel {
  /** Rows of the logits; more than the tokenizer's tokens, as in padded matrices. */
  rows: number;
  /** Tokens that may win; all others are far below. */
  sayable: readonly number[];
  /** Logit of the padding. @default -50 */
  padding?: number;
  /** WebLLM keeps its settings where another version would. @default false */
  hidesPipeline?: boolean;
  /** Milliseconds of one pass. @default 0 */
  passMs?: number;
  /** Thrown by `reload`. */
  failReload?: Error;
  /** Thrown by the pass with this number, counted from 1. */
  failPass?: { number: number; error: Error };
}

/** What the engines of one module did. */
export class FakeRecord {
  readonly engines: FakeEngine[] = [];
  /** Lengths of all passes, in order. */
  readonly passes: number[] = [];
  resets = 0;
  /** Passes whose logits were handed over. */
  tapped = 0;
  /** Settings of passes that WebLLM sampled for itself. */
  readonly sampled: { temperature: number; top_p: number }[] = [];
}

/** A module whose engines use `gpu` as the real ones use `navigator.gpu`. */
export function fakeWebLlm(model: FakeModel, gpu: GPU | undefined, record = new FakeRecord()): WebLlmModule {
  class Engine extends FakeEngine {
    constructor(config: MLCEngineConfig) {
      super(config, model, gpu, record);
      record.engines.push(this);
    }
  }
  return { MLCEngine: Engine, prebuiltAppConfig };
}

interface FakePipeline {
  logitProcessor: LogitProcessor | undefined;
  config: { temperature: number; top_p: number };
}

export class FakeEngine implements WebLlmEngine {
  unloaded = false;
  /** The settings that `reload` was called with. */
  chatOptions: ChatOptions = {};
  readonly #config: MLCEngineConfig;
  readonly #model: FakeModel;
  readonly #gpu: GPU | undefined;
  readonly #record: FakeRecord;
  /** As the real one names it. */
  loadedModelIdToPipeline: Map<string, FakePipeline> | undefined;
  #pipeline!: FakePipeline;
  #context = 0;
  #held: number[] = [];
  #busy = false;
  #device: GPUDevice | undefined;
  #lost = false;

  constructor(config: MLCEngineConfig, model: FakeModel, gpu: GPU | undefined, record: FakeRecord) {
    this.#config = config;
    this.#model = model;
    this.#gpu = gpu;
    this.#record = record;
  }

  async reload(modelId: string | string[], chatOpts?: ChatOptions | ChatOptions[]): Promise<void> {
    const id = String(modelId);
    const record = this.#config.appConfig?.model_list.find((one: ModelRecord) => one.model_id === id);
    if (!record) throw Object.assign(new Error(`no ${id}`), { name: 'ModelNotFoundError' });
    this.chatOptions = { ...record.overrides, ...(chatOpts as ChatOptions) };
    const report = this.#config.initProgressCallback;
    report?.({ progress: 0.5, timeElapsed: 1, text: 'Fetching param cache[1/2]: 1MB fetched.' });
    if (this.#model.failReload) throw this.#model.failReload;
    const adapter = await this.#gpu?.requestAdapter({ powerPreference: 'high-performance' });
    this.#device = await adapter?.requestDevice();
    void this.#device?.lost.then(() => (this.#lost = true));
    report?.({ progress: 1, timeElapsed: 1, text: 'Loading model from cache[2/2]: 2MB loaded.' });
    report?.({ progress: 0.3, timeElapsed: 2, text: 'Loading GPU shader modules[1/3]: 30% completed' });
    const { temperature = 1, top_p = 1 } = this.chatOptions;
    const logitProcessor = this.#config.logitProcessorRegistry?.get(id);
    this.#pipeline = { logitProcessor, config: { temperature, top_p } };
    if (!this.#model.hidesPipeline) this.loadedModelIdToPipeline = new Map([[id, this.#pipeline]]);
    this.#context = this.chatOptions.context_window_size ?? 4096;
    report?.({ progress: 1, timeElapsed: 3, text: 'Finish loading on WebGPU - fake' });
  }

  async resetChat(): Promise<void> {
    this.#mustBeFree();
    this.#held = [];
    this.#record.resets += 1;
    this.#pipeline.logitProcessor?.resetState();
  }

  async forwardTokensAndSample(inputIds: number[], isPrefill: boolean): Promise<number> {
    this.#mustBeFree();
    if (inputIds.length === 0) throw new Error('inputIds must not be empty');
    if (!isPrefill && inputIds.length !== 1) throw new Error('decode expects exactly one token ID');
    this.#busy = true;
    // A lost device answers nothing, ever.
    if (this.#lost) await new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, this.#model.passMs ?? 0));
    if (this.#lost) await new Promise(() => {});
    this.#held.push(...inputIds);
    this.#record.passes.push(inputIds.length);
    this.#busy = false;
    const { failPass } = this.#model;
    if (failPass && this.#record.passes.length === failPass.number) throw failPass.error;
    if (this.#held.length > this.#context) throw new Error('The KV cache is full.');
    return this.#sample();
  }

  async unload(): Promise<void> {
    this.unloaded = true;
    if (this.#lost) await new Promise(() => {});
    this.#device?.destroy();
  }

  #mustBeFree(): void {
    if (this.#busy) throw new Error('A pass is under way.');
  }

  #sample(): number {
    const { logitProcessor, config } = this.#pipeline;
    const own = logitsAfter(this.#held, this.#model);
    if (logitProcessor) this.#record.tapped += 1;
    else this.#record.sampled.push({ ...config });
    const logits = logitProcessor?.processLogits(own) ?? own;
    const best = logits.reduce((winner, value, index) => (value > logits[winner]! ? index : winner), 0);
    if (!Number.isFinite(logits[best])) throw new Error('failed to sample a valid token');
    logitProcessor?.processSampledToken(best);
    return best;
  }
}

/** Depends on every held token, as real logits do. */
function logitsAfter(held: readonly number[], { rows, sayable, padding = -50 }: FakeModel): Float32Array {
  const logits = new Float32Array(rows).fill(-50);
  let hash = 2166136261;
  for (const token of held) hash = Math.imul(hash ^ token, 16777619);
  for (const token of sayable) {
    hash = Math.imul(hash ^ token, 16777619);
    logits[token] = ((hash >>> 8) % 4096) / 512;
  }
  logits.fill(padding, rows - 8);
  return logits;
}
