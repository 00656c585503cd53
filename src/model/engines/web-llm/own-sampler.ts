/** WebLLM's own sampler, which works on the GPU: for whatever nobody reads the logits of. @module */
import type { LogitsNeed } from '../../sampling/token-logits.js';
import type { LogitsTap } from './logits-tap.js';
import { pipelineOf } from './pipeline-of.js';
import type { WebLlmEngine } from './web-llm-module.js';

/** What WebLLM's sampler looks at in every pass. It hides this, and its declarations do not show it. */
interface Pipeline {
  logitProcessor: LogitsTap | undefined;
  config: { temperature: number; top_p: number };
}

/**
 * Settings with which the greatest logit wins, the lowest id of equal ones: nothing but the first token of a stable sort
 * is left. A power of two keeps different logits different.
 */
const GREEDY = { temperature: 2 ** -7, top_p: 1e-5 } as const;

/**
 * Chooses for each pass whether WebLLM samples or hands over its logits. With a logit processor every pass would read
 * all logits back, wait, write them to the GPU again and sample for nothing.
 */
export class OwnSampler {
  readonly #pipeline: Pipeline;
  readonly #tap: LogitsTap;

  private constructor(pipeline: Pipeline, tap: LogitsTap) {
    this.#pipeline = pipeline;
    this.#tap = tap;
  }

  /** @returns undefined where another version of WebLLM keeps its settings elsewhere; the tap then stays in place */
  static of(engine: WebLlmEngine, modelId: string, tap: LogitsTap): OwnSampler | undefined {
    const pipeline = pipelineOf<Pipeline>(engine, modelId);
    const isKnown = pipeline?.logitProcessor === tap && typeof pipeline.config?.top_p === 'number';
    return isKnown ? new OwnSampler(pipeline as Pipeline, tap) : undefined;
  }

  /** Prepares the next pass. @returns true: WebLLM samples, and the tap sees nothing */
  prepare(need: LogitsNeed): boolean {
    const settings = settingsFor(need);
    this.#pipeline.logitProcessor = settings ? undefined : this.#tap;
    if (settings) Object.assign(this.#pipeline.config, settings);
    return settings !== undefined;
  }
}

function settingsFor(need: LogitsNeed): Pipeline['config'] | undefined {
  if (need.type === 'draw') return { temperature: need.temperature, top_p: need.topP };
  return need.type === 'greatest' && need.count === 1 ? GREEDY : undefined;
}
