/** Generation events as the chunks of a text completion stream. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';
import type { CompletionHead, HeadOf } from '../generation/completion-head.js';
import type { Render } from '../generation/generate.js';
import { usageObject } from '../generation/usage-object.js';
import { completionLogprobs, completionObject } from './completion-object.js';
import type { CompletionChoice, CompletionObject } from './completion-object.js';

/** What the chunks need besides the generation. */
export interface CompletionStreamOptions {
  /** A last chunk without choices tells the usage; the others have `usage: null`. */
  includeUsage: boolean;
  /** Log-probabilities were asked for. */
  logprobs: boolean;
  compatibility: Compatibility;
}

interface StreamState extends CompletionStreamOptions {
  head: CompletionHead;
  /** Length of each choice's text so far. */
  offsets: number[];
  /** Why the first choice ended. */
  stopReason: 'stop' | 'length';
}

/** The last event of a stream that did not break. */
export const DONE = '[DONE]';

/** One chunk per piece of text, one with the `finish_reason` per choice, the usage if it was asked for, then `[DONE]`. */
export function renderCompletion(
  headOf: HeadOf,
  options: CompletionStreamOptions,
): Render<CompletionObject | typeof DONE> {
  let state: StreamState | undefined;
  return (event, chunks) => {
    if (event.type === 'start') state = { ...options, head: headOf(event.model), offsets: [], stopReason: 'stop' };
    if (!state) throw new InferenceError('internal', 'The generation answered before it began.');
    const chunk = toChunk(event, state);
    if (chunk) chunks.push(chunk);
    if (event.type === 'finish') chunks.push(DONE);
  };
}

function toChunk(event: GenerationEvent, state: StreamState): CompletionObject | undefined {
  switch (event.type) {
    case 'text-delta': {
      const offset = state.offsets[event.choice] ?? 0;
      state.offsets[event.choice] = offset + event.text.length;
      const logprobs = state.logprobs ? completionLogprobs(event.logprobs ?? [], offset) : null;
      return withChoice({ index: event.choice, text: event.text, logprobs, finish_reason: null }, state);
    }
    case 'choice-finish': {
      const reason = finishReason(event.reason);
      if (event.choice === 0) state.stopReason = reason;
      return withChoice({ index: event.choice, text: '', logprobs: null, finish_reason: reason }, state);
    }
    case 'finish':
      if (!state.includeUsage) return undefined;
      return {
        ...completionObject(state.head, [], state.compatibility),
        usage: usageObject(event.usage, state.stopReason),
      };
    default:
      return undefined;
  }
}

/** Text completions call no tools. */
function finishReason(reason: 'stop' | 'length' | 'tool-calls'): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop';
}

function withChoice(choice: CompletionChoice, state: StreamState): CompletionObject {
  const chunk = completionObject(state.head, [choice], state.compatibility);
  return state.includeUsage ? { ...chunk, usage: null } : chunk;
}
