/** How a model's makers want its tokens chosen: `generation_config.json`. @module */
import type { Sampling, SamplingDefaults } from '../../core/request/generation-request.js';

/** Undefined where the file does not ask for sampling (`do_sample`), or there is none. Values that make no sense are left out. */
export function readSamplingDefaults(config: unknown): SamplingDefaults | undefined {
  if (typeof config !== 'object' || config === null || Reflect.get(config, 'do_sample') !== true) return undefined;
  const number = (name: string, isFit: (value: number) => boolean): number | undefined => {
    const value: unknown = Reflect.get(config, name);
    return typeof value === 'number' && isFit(value) ? value : undefined;
  };
  const defaults: SamplingDefaults = { temperature: number('temperature', (value) => value >= 0 && value <= 2) ?? 1 };
  const topP = number('top_p', (value) => value >= 0 && value < 1);
  const topK = number('top_k', (value) => Number.isInteger(value) && value >= 1);
  const minP = number('min_p', (value) => value > 0 && value <= 1);
  const repetitionPenalty = number('repetition_penalty', (value) => value > 0 && value !== 1);
  if (topP !== undefined) defaults.topP = topP;
  if (topK !== undefined) defaults.topK = topK;
  if (minP !== undefined) defaults.minP = minP;
  if (repetitionPenalty !== undefined) defaults.repetitionPenalty = repetitionPenalty;
  return defaults;
}

/** The sampling of a request: the model's own where it leaves the choice to the model. */
export function withSamplingDefaults(sampling: Sampling, defaults: SamplingDefaults | undefined): Sampling {
  if (!sampling.byModel || !defaults) return sampling;
  const { repetitionPenalty = defaults.repetitionPenalty, minP = defaults.minP } = sampling;
  return {
    ...sampling,
    ...defaults,
    ...(minP !== undefined && { minP }),
    ...(repetitionPenalty !== undefined && { repetitionPenalty }),
  };
}
