/** Fields that Ollama's requests share, and their canonical form. null means left out. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest, OutputFormat } from '../../../core/request/generation-request.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import { object, objectOf } from '../fields/json-object.js';
import { actingPenalty, minP, numberBetween, seed, toEffort, topLogprobs, toSampling } from '../fields/sampling.js';

const wholeNumber = v.pipe(v.number(), v.integer());

/** Those that have a meaning here; Ollama has many more, which are ignored. */
const options = object({
  temperature: v.nullish(numberBetween(0, 2)),
  top_p: v.nullish(numberBetween(0, 1)),
  top_k: v.nullish(wholeNumber),
  min_p: minP,
  seed,
  stop: v.nullish(v.union([v.string(), v.array(v.string())])),
  num_predict: v.nullish(wholeNumber),
  repeat_penalty: v.nullish(numberBetween(1, 2)),
  presence_penalty: actingPenalty,
  frequency_penalty: actingPenalty,
});

const MODEL = v.pipe(v.string(), v.minLength(1));
const KEEP_ALIVE = v.nullish(v.union([v.number(), v.string()]));

/** Of every request that has an answer of a model. */
export const commonFields = { model: MODEL, keep_alive: KEEP_ALIVE };

/** Of a request for text. */
export const generationFields = {
  stream: v.nullish(v.boolean()),
  format: v.nullish(v.union([v.picklist(['json', '']), objectOf(v.unknown())])),
  options: v.nullish(options),
  think: v.nullish(v.union([v.boolean(), v.picklist(['low', 'medium', 'high', 'max'])])),
  logprobs: v.nullish(v.boolean()),
  top_logprobs: topLogprobs,
  truncate: v.nullish(v.boolean()),
};

const GENERATION = object(generationFields);
type GenerationFields = v.InferOutput<typeof GENERATION>;

/** @throws InferenceError `invalid_request` for a format that is not a schema */
export function toGenerationFields(
  body: GenerationFields,
): Pick<
  GenerationRequest,
  'output' | 'sampling' | 'reasoning' | 'thinking' | 'stop' | 'maxTokens' | 'topLogprobs' | 'paramNames'
> {
  const { stop, num_predict: cap } = body.options ?? {};
  return {
    output: toOutputFormat(body.format),
    sampling: toOllamaSampling(body.options ?? {}),
    ...toThinking(body.think),
    stop: (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== ''),
    paramNames: { response_format: 'format' },
    ...(cap != null && cap > 0 && { maxTokens: cap }),
    ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
  };
}

function toOllamaSampling({
  repeat_penalty,
  top_k,
  ...rest
}: v.InferOutput<typeof options>): GenerationRequest['sampling'] {
  const fields = { ...rest, repetition_penalty: repeat_penalty, top_k: top_k == null ? top_k : Math.max(0, top_k) };
  return toSampling(fields, { sampling: 'by-model', penalties: 'acting' });
}

/** A model that can think does, unless it is told not to. */
function toThinking(think: GenerationFields['think']): Pick<GenerationRequest, 'reasoning' | 'thinking'> {
  if (think == null) return { reasoning: {}, thinking: 'if-able' };
  if (typeof think === 'string') return { reasoning: { effort: toEffort(think) }, thinking: 'required' };
  return think ? { reasoning: {}, thinking: 'required' } : { reasoning: { enabled: false } };
}

function toOutputFormat(format: GenerationFields['format']): OutputFormat {
  if (format == null || format === '') return { type: 'text' };
  if (typeof format === 'string') return { type: 'json-object' };
  const param = 'format';
  checkSchemaStructure(format, param);
  return { type: 'json-schema', name: 'response', schema: format, strict: false, param };
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Characters of a duration; no longer text is looked at. */
const MAX_DURATION_LENGTH = 60;

/**
 * Milliseconds; negative: for good. A number is one of seconds, a text one or more numbers with units: `5m`, `1h30m`.
 * @throws InferenceError `invalid_request` for another text
 */
export function toKeepAlive(value: number | string | null | undefined): number | undefined {
  if (value == null) return undefined;
  if (typeof value === 'number') return value * 1000;
  const milliseconds = value.length <= MAX_DURATION_LENGTH ? parseDuration(value) : undefined;
  if (milliseconds !== undefined) return milliseconds;
  const param = 'keep_alive';
  const message = `\`${param}\` must be a number of seconds, or a string such as \`5m\`, \`1h30m\` or \`300ms\`.`;
  throw new InferenceError('invalid_request', message, { param });
}

function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  let milliseconds = 0;
  let end = 0;
  for (let found = part.exec(unsigned); found; found = part.exec(unsigned)) {
    milliseconds += Number(found[1]) * UNITS[found[2]!]!;
    end = part.lastIndex;
  }
  return end > 0 && end === unsigned.length ? sign * milliseconds : undefined;
}
