/** Sampling fields of a request as canonical sampling. @module */
import type { Sampling } from '../../../core/request/generation-request.js';

/** The fields by their names on the wire; null and undefined mean omitted. */
export interface SamplingFields {
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  top_k?: number | null | undefined;
  repetition_penalty?: number | null | undefined;
  do_sample?: boolean | null | undefined;
  seed?: number | null | undefined;
  logit_bias?: Record<string, number> | null | undefined;
}

/** `do_sample: false` drops the temperature, so decoding is greedy; `true` without a temperature samples at 1. */
export function toSampling(fields: SamplingFields): Sampling {
  const temperature =
    fields.do_sample === false ? undefined : (fields.temperature ?? (fields.do_sample === true ? 1 : undefined));
  const sampling: Sampling = {};
  if (temperature !== undefined) sampling.temperature = temperature;
  if (fields.top_p != null) sampling.topP = fields.top_p;
  if (fields.top_k != null) sampling.topK = fields.top_k;
  if (fields.repetition_penalty != null) sampling.repetitionPenalty = fields.repetition_penalty;
  if (fields.seed != null) sampling.seed = fields.seed;
  if (fields.logit_bias != null) sampling.logitBias = fields.logit_bias;
  return sampling;
}

/** `stop` as a list. An empty sequence stops nothing. */
export function toStopList(stop: string | string[] | null | undefined): string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '');
}
