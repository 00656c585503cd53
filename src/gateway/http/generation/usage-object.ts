/** Measured usage as chat and text completions show it. @module */
import type { GenerationUsage } from '../../answer/generation-event.js';

/**
 * Every usage field of the specification that was measured; a rate without tokens or time to measure is left out,
 * and so is `acceptance_rate`: what an engine guesses ahead stays within it.
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
    ...present('completion_tokens_per_sec', rate(usage.completionTokens, latency)),
    ...present('completion_tokens_after_first_per_sec', afterFirst),
    ...present('completion_tokens_after_first_per_sec_first_ten', rate(Math.min(10, later), usage.timeFirstTen)),
    ...present('completion_tokens_after_first_per_sec_graph', afterFirst),
    ...present('total_tokens_per_sec', rate(totalTokens, latency)),
    ...present('time_to_first_token', usage.timeToFirstToken),
    ...present('time_to_first_token_graph', usage.timeToFirstToken),
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

function present(name: string, value: number | undefined): Record<string, number> {
  return value === undefined ? {} : { [name]: value };
}
