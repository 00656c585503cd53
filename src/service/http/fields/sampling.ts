/** Sampling, length, effort and others: fields that several dialects share, and their canonical form. null means left out. @module */
import * as v from 'valibot';
import { recordOf } from '../../../core/schema/record-of.js';
import { object } from './json-object.js';
import type { GenerationRequest, Reasoning, Sampling } from '../../../core/request/generation-request.js';
import { InferenceError } from '../../../core/errors/inference-error.js';

/** A number within bounds, both included. */
export function numberBetween(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum));
}

/** An integer of at least `minimum`. */
export function integerFrom(minimum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum));
}

/** An integer within bounds, both included. */
export function integerBetween(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum));
}

/** Token limits, `n`, `seed` and others that chat and text completions share. */
export const tokenCap = v.nullish(integerFrom(1));
export const choiceCount = v.nullish(integerBetween(1, 8));
export const seed = v.nullish(v.pipe(v.number(), v.integer()));
export const topLogprobs = v.nullish(integerBetween(0, 20));

/** One sequence or up to four. */
export const stop = v.nullish(v.union([v.string(), v.pipe(v.array(v.string()), v.maxLength(4))]));

/** Token ids (as strings, since JSON has no other keys) to biases. */
export const logitBias = v.nullish(
  recordOf(v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'must be a token id')), integerBetween(-100, 100)),
);

/** Tokens less likely than this part of the most likely one's probability are left out. */
export const minP = v.nullish(numberBetween(0, 1));

/** Only with `stream: true`; see `requireStream`. */
export const streamOptions = v.nullish(object({ include_usage: v.nullish(v.boolean()) }));

/** The fields by their names on the wire; null and undefined mean omitted. */
interface SamplingFields {
  temperature?: number | null | undefined;
  top_p?: number | null | undefined;
  top_k?: number | null | undefined;
  min_p?: number | null | undefined;
  repetition_penalty?: number | null | undefined;
  presence_penalty?: number | null | undefined;
  frequency_penalty?: number | null | undefined;
  do_sample?: boolean | null | undefined;
  seed?: number | null | undefined;
  logit_bias?: Record<string, number> | null | undefined;
}

/** What of it depends on `compatibility`. */
export interface SamplingRules {
  /** How tokens are chosen when the request says nothing about it: as the specification says, or as the model's files do. */
  sampling: 'specified' | 'by-model';
  /** `presence_penalty` and `frequency_penalty` as the specification has them, or acting on what is written. */
  penalties: 'ignored' | 'acting';
}

/** `presence_penalty` and `frequency_penalty` where they act. */
export const actingPenalty = v.nullish(numberBetween(-2, 2));

/**
 * `do_sample: false` drops the temperature, so decoding is greedy; `true` without a temperature samples at 1.
 * @param usual temperature where the request names none; absent: greedy
 */
export function toSampling(
  fields: SamplingFields,
  { sampling: source, penalties }: SamplingRules,
  usual?: number,
): Sampling {
  const fallback = fields.do_sample === true ? (usual ?? 1) : usual;
  const temperature = fields.do_sample === false ? undefined : (fields.temperature ?? fallback);
  const sampling: Sampling = {};
  const isOpen = [fields.temperature, fields.top_p, fields.top_k, fields.do_sample].every((field) => field == null);
  if (isOpen && source === 'by-model') sampling.byModel = true;
  if (temperature !== undefined) sampling.temperature = temperature;
  if (fields.top_p != null) sampling.topP = fields.top_p;
  if (fields.top_k != null) sampling.topK = fields.top_k;
  if (fields.min_p != null) sampling.minP = fields.min_p;
  if (fields.repetition_penalty != null) sampling.repetitionPenalty = fields.repetition_penalty;
  if (penalties === 'acting') {
    if (fields.presence_penalty) sampling.presencePenalty = fields.presence_penalty;
    if (fields.frequency_penalty) sampling.frequencyPenalty = fields.frequency_penalty;
  }
  if (fields.seed != null) sampling.seed = fields.seed;
  if (fields.logit_bias != null) sampling.logitBias = fields.logit_bias;
  return sampling;
}

/** `stop` as a list. An empty sequence stops nothing. */
export function toStopList(stop: string | string[] | null | undefined): string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '');
}

/** What clients send; the levels outside low to high mean the nearest of them. */
export const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** See {@link EFFORTS}. */
export function toEffort(effort: (typeof EFFORTS)[number]): NonNullable<Reasoning['effort']> {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}

/**
 * Whether the client asks for its prompt to be cached: by the `prompt_cache_key` of a body, whatever it is checked
 * for. Without the app's option it changes nothing.
 */
export function cacheHint({ prompt_cache_key: key }: Record<string, unknown>): Pick<GenerationRequest, 'cachePrompt'> {
  return typeof key === 'string' && key !== '' ? { cachePrompt: 'requested' } : {};
}

type Fields = Readonly<Record<string, unknown>>;

/** A rule that throws InferenceError `invalid_request` when `field` comes (null and 0 do not count) without `needed: true`. */
function onlyWith(field: string, needed: string): (fields: Fields) => void {
  return (fields) => {
    if (!fields[field] || fields[needed] === true) return;
    throw new InferenceError('invalid_request', `\`${field}\` is only allowed when \`${needed}\` is true.`, {
      param: field,
    });
  };
}

export const requireStream = onlyWith('stream_options', 'stream');
export const requireLogprobs = onlyWith('top_logprobs', 'logprobs');
