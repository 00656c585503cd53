/** What answers of text and chat completions have in common: head, usage, log-probabilities. @module */
import type { HttpContext } from '../endpoint/http-context.js';
import type { ChoiceEnd } from './generate.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { GenerationUsage } from '../../answer/generation-event.js';
import type { TokenCandidate, TokenLogprob } from '../../../core/events/token-event.js';

/** The same in every chunk of a stream. */
export interface CompletionHead {
  /** Unique, e.g. `chatcmpl-…`. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** Catalog id of the model used. */
  model: string;
  systemFingerprint: string;
}

/** Completes the head of an answer that has begun: only its start tells which model answers. */
export type HeadOf = (model: string) => CompletionHead;

/** The head of an answer that begins now. @param prefix of its id */
export function beginHead(prefix: 'chatcmpl' | 'cmpl', context: HttpContext): HeadOf {
  const id = `${prefix}-${context.createId()}`;
  const created = Math.floor(context.now() / 1000);
  return (model) => ({
    id,
    created,
    model,
    systemFingerprint: systemFingerprint(context.inference.catalog.require(model)),
  });
}

/** The reason as chat completions spell it. What was cut inside a call ends by its length, whatever came before. */
export function finishReason({ reason, failure }: ChoiceEnd): 'stop' | 'length' | 'tool_calls' {
  if (failure?.isCut) return 'length';
  return reason === 'tool-calls' ? 'tool_calls' : reason;
}

/** Changes with every release that may change generated text. */
const GENERATION_VERSION = '0.1.0';

const fingerprints = new WeakMap<ModelEntry, string>();

/** `fp_` and ten hexadecimal digits: the same for the same release, model, engine and precision. */
function systemFingerprint(entry: ModelEntry): string {
  const known = fingerprints.get(entry);
  if (known !== undefined) return known;
  const configuration = [
    GENERATION_VERSION,
    entry.id,
    entry.backend,
    entry.source ?? '',
    entry.device ?? 'auto',
    typeof entry.dtype === 'object' ? JSON.stringify(entry.dtype) : (entry.dtype ?? ''),
  ];
  const made = `fp_${hash(configuration.join('\n')).toString(16).padStart(10, '0')}`;
  fingerprints.set(entry, made);
  return made;
}

/** FNV-1a over 40 bits: no secret depends on it. */
function hash(text: string): bigint {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value & 0xff_ffff_ffffn;
}

/**
 * Every usage field of the specification. A rate without tokens or time to measure is undefined, so JSON leaves it out.
 * There is no `acceptance_rate`: how many drafted tokens an engine accepts is not measured here.
 */
export function usageObject(usage: GenerationUsage, stopReason: string): Record<string, unknown> {
  const totalTokens = usage.promptTokens + usage.completionTokens;
  const latency = usage.endTime - usage.startTime;
  const later = Math.max(0, usage.completionTokens - 1);
  const afterFirst = rate(later, usage.timeAfterFirst);
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: totalTokens,
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    completion_tokens_per_sec: rate(usage.completionTokens, latency),
    completion_tokens_after_first_per_sec: afterFirst,
    completion_tokens_after_first_per_sec_first_ten: rate(Math.min(10, later), usage.timeFirstTen),
    completion_tokens_after_first_per_sec_graph: afterFirst,
    total_tokens_per_sec: rate(totalTokens, latency),
    time_to_first_token: usage.timeToFirstToken,
    time_to_first_token_graph: usage.timeToFirstToken,
    total_latency: latency,
    start_time: usage.startTime,
    end_time: usage.endTime,
    is_last_response: true,
    stop_reason: stopReason,
  };
}

function rate(tokens: number, seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 && tokens > 0 ? tokens / seconds : undefined;
}

/** `{token, logprob, bytes, top_logprobs}` per token */
export function logprobEntries(logprobs: readonly TokenLogprob[]): Record<string, unknown>[] {
  return logprobs.map((entry) => ({ ...candidate(entry), top_logprobs: entry.top.map(candidate) }));
}

/** `{content: [{token, logprob, bytes, top_logprobs}], refusal: null}`: no model here refuses in a channel of its own. */
export function logprobsObject(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
  return { content: logprobEntries(logprobs), refusal: null };
}

function candidate({ token, logprob, bytes }: TokenCandidate): Record<string, unknown> {
  return { token, logprob, bytes };
}
