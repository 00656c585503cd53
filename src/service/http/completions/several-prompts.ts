/** The generations of several prompts as one, and the prompt repeated before its text. @module */
import type { GenerationEvent, GenerationUsage } from '../../answer/generation-event.js';
import type { PromptLogprobs } from '../../../core/events/token-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Render } from '../generation/generate.js';

/** What text completions render: a generation's events, and the prompt as the beginning of a choice. */
export type CompletionEvent =
  | GenerationEvent
  | { type: 'echo'; choice: number; text: string; logprobs: PromptLogprobs };

/** A generation that has not begun, and how many choices it has. */
interface NextGeneration {
  begin: () => AsyncIterable<readonly CompletionEvent[]>;
  n: number;
}

/**
 * The events of all, one generation after the other: choices count on, the first start stands for all, usage is the sum.
 * The engine is free for others in between.
 */
export async function* oneAfterAnother(
  generations: readonly NextGeneration[],
): AsyncGenerator<readonly CompletionEvent[], void, undefined> {
  let begun = false;
  let firstChoice = 0;
  let usage: GenerationUsage | undefined;
  for (const { begin, n } of generations) {
    for await (const batch of begin()) {
      const events: CompletionEvent[] = [];
      for (const event of batch) {
        if (event.type === 'finish') usage = usage ? sumOf(usage, event.usage) : event.usage;
        else if (event.type !== 'start') events.push({ ...event, choice: firstChoice + event.choice });
        else if (!begun) {
          begun = true;
          events.push(event);
        }
      }
      yield events;
    }
    firstChoice += n;
  }
  if (usage) yield [{ type: 'finish', usage }];
}

/** Counts and spans of generation add up; the first token is that of the first generation that has any. */
function sumOf(first: GenerationUsage, next: GenerationUsage): GenerationUsage {
  const { startTime, timeAfterFirst } = first;
  return {
    ...(timeAfterFirst === undefined ? startedAt(startTime, next) : first),
    startTime,
    endTime: next.endTime,
    promptTokens: first.promptTokens + next.promptTokens,
    cachedTokens: first.cachedTokens + next.cachedTokens,
    completionTokens: first.completionTokens + next.completionTokens,
    reasoningTokens: first.reasoningTokens + next.reasoningTokens,
    ...(timeAfterFirst !== undefined && { timeAfterFirst: timeAfterFirst + (next.timeAfterFirst ?? 0) }),
  };
}

/** The same as part of what began before. */
function startedAt(startTime: number, usage: GenerationUsage): GenerationUsage {
  const { timeToFirstToken } = usage;
  if (timeToFirstToken === undefined) return usage;
  return { ...usage, timeToFirstToken: timeToFirstToken + usage.startTime - startTime };
}

/**
 * The same events with the prompt before each choice's own text. Throws InferenceError `invalid_request` when the prompt came
 * as token ids and its model does not know text of them.
 */
export function echoPrompt({ prompt, n }: GenerationRequest): Render<CompletionEvent> {
  return (event, events) => {
    events.push(event);
    if (event.type !== 'start') return;
    const text = prompt.type === 'raw' ? prompt.text : event.promptText;
    if (text === undefined) {
      throw new InferenceError('invalid_request', '`echo` needs a prompt of text for this model.', { param: 'echo' });
    }
    // What an empty prompt is read as is not part of it.
    const logprobs = text === '' ? [] : (event.promptLogprobs ?? []);
    for (let choice = 0; choice < n; choice += 1) events.push({ type: 'echo', choice, text, logprobs });
  };
}
