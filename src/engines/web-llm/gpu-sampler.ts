/** WebLLM's logits: sampled by WebLLM on the GPU, or captured for our own sampler on the CPU. @module */
import type { LogitProcessor } from '@mlc-ai/web-llm';
import type { LogitsNeed } from '../../language/sampling/token-logits.js';
import { internalPipeline, type WebLlmEngine } from './web-llm-environment.js';

/** Fields of WebLLM's pipeline that its sampler reads in every pass. They are missing in its declarations. */
interface Pipeline {
  logitProcessor: LogitsCapture | undefined;
  config: { temperature: number; top_p: number };
}

/**
 * Greedy decoding: with such a low top-p only the greatest logit is left, and of equal ones the lowest id. A temperature
 * that is a power of two keeps different logits different.
 */
const GREEDY = { temperature: 2 ** -7, top_p: 1e-5 } as const;

/**
 * Decides for each forward pass whether WebLLM samples on the GPU or its logits are captured. With a logit processor in
 * place, every pass reads all logits back from the GPU, waits, writes them again and samples for nothing.
 */
export class GpuSampler {
  readonly #pipeline: Pipeline;
  readonly #capture: LogitsCapture;

  private constructor(pipeline: Pipeline, capture: LogitsCapture) {
    this.#pipeline = pipeline;
    this.#capture = capture;
  }

  /** @returns undefined when this version of WebLLM keeps its settings elsewhere; then all logits are captured */
  static of(engine: WebLlmEngine, modelId: string, capture: LogitsCapture): GpuSampler | undefined {
    const pipeline = internalPipeline<Pipeline>(engine, modelId);
    const isKnown = pipeline?.logitProcessor === capture && typeof pipeline.config?.top_p === 'number';
    return isKnown ? new GpuSampler(pipeline as Pipeline, capture) : undefined;
  }

  /** Prepares the next pass. @returns true when WebLLM samples and no logits are captured */
  prepare(need: LogitsNeed): boolean {
    const settings = settingsFor(need);
    this.#pipeline.logitProcessor = settings ? undefined : this.#capture;
    if (settings) Object.assign(this.#pipeline.config, settings);
    return settings !== undefined;
  }
}

function settingsFor(need: LogitsNeed): Pipeline['config'] | undefined {
  if (need.type === 'sample' && !need.seeded && need.minP <= 0)
    return { temperature: need.temperature, top_p: need.topP };
  return need.type === 'greatest' && need.count === 1 ? GREEDY : undefined;
}

/** A logit processor that copies the logits. WebLLM calls it between the forward pass and its own sampler. */
export class LogitsCapture implements LogitProcessor {
  #logits = new Float32Array();

  /** Logits of the last forward pass, valid until the next one. */
  get logits(): Float32Array {
    return this.#logits;
  }

  /**
   * Copies the logits and replaces them: WebLLM's own sample is not used, but its sampler would throw on NaN, before we
   * can report the cause.
   */
  processLogits(logits: Float32Array): Float32Array {
    if (this.#logits.length !== logits.length) this.#logits = new Float32Array(logits.length);
    this.#logits.set(logits);
    logits.fill(0);
    logits[0] = 100;
    return logits;
  }

  processSampledToken(): void {}

  resetState(): void {}
}
