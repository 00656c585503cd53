/** Generation events as chat completion chunks. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';
import { finishReason, logprobsObject, usageObject } from '../generation/completion-parts.js';
import type { CompletionHead, HeadOf } from '../generation/completion-parts.js';
import type { Render } from '../generation/generate.js';
import { choiceError } from '../generation/output-failure-error.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';

/** What the chunks depend on besides the events. */
export interface ChunkOptions {
  headOf: HeadOf;
  /** Number of choices. */
  n: number;
  includeUsage: boolean;
  hasLogprobs: boolean;
  compatibility: Compatibility;
  /** The dialect's JSON for an error inside the stream. */
  errorObject: (error: InferenceError) => Record<string, unknown>;
}

interface ChunkState extends ChunkOptions {
  head: CompletionHead;
  /** Why the first choice ended. */
  stopReason: 'stop' | 'length' | 'tool_calls';
}

/** The last event of every chat and text completion stream that did not break. */
export const DONE: ServerSentEvent = { data: '[DONE]' };

/** Chunks, then `[DONE]`. A choice that is not what was asked for ends the stream with the error before `[DONE]`. */
export function renderChunks(options: ChunkOptions): Render<ServerSentEvent> {
  let state: ChunkState | undefined;
  return (event, chunks) => {
    if (event.type === 'start') state = { ...options, head: options.headOf(event.model), stopReason: 'stop' };
    if (!state) throw new InferenceError('internal', 'The generation answered before it began.');
    return addChunks(event, state, chunks);
  };
}

function addChunks(event: GenerationEvent, state: ChunkState, chunks: ServerSentEvent[]): 'over' | void {
  if (event.type === 'start') {
    const first = { role: 'assistant', content: '' };
    for (let index = 0; index < state.n; index++) chunks.push({ data: chunk(state, [choiceChunk(index, first)]) });
    return;
  }
  if (event.type === 'finish') {
    const usage = usageObject(event.usage, state.stopReason);
    if (state.includeUsage) chunks.push({ data: { ...chunk(state, []), usage } });
    chunks.push(DONE);
    return 'over';
  }
  if (event.type === 'choice-finish') {
    const error = choiceError(event, state.compatibility);
    if (error) {
      chunks.push({ data: state.errorObject(error) }, DONE);
      return 'over';
    }
    if (event.choice === 0) state.stopReason = finishReason(event);
  }
  const choice = toChoice(event, state);
  if (choice) chunks.push({ data: chunk(state, [choice]) });
}

function toChoice(
  event: Exclude<GenerationEvent, { type: 'start' | 'finish' }>,
  options: ChunkOptions,
): Record<string, unknown> | undefined {
  switch (event.type) {
    case 'reasoning-delta':
      return event.text === '' ? undefined : choiceChunk(event.choice, { reasoning: event.text });
    case 'text-delta': {
      const logprobs = options.hasLogprobs ? (event.logprobs ?? []) : [];
      if (event.text === '' && logprobs.length === 0) return undefined;
      return {
        ...choiceChunk(event.choice, { content: event.text }),
        logprobs: logprobs.length > 0 ? logprobsObject(logprobs) : null,
      };
    }
    case 'tool-call-start': {
      const call = {
        index: event.index,
        id: event.id,
        type: 'function',
        function: { name: event.name, arguments: '' },
      };
      return choiceChunk(event.choice, { tool_calls: [call] });
    }
    case 'tool-call-delta': {
      const call = { index: event.index, function: { arguments: event.argumentsDelta } };
      return choiceChunk(event.choice, { tool_calls: [call] });
    }
    case 'choice-finish':
      return choiceChunk(event.choice, {}, finishReason(event));
    default:
      return undefined;
  }
}

function choiceChunk(index: number, delta: object, reason: string | null = null): Record<string, unknown> {
  return { index, delta, logprobs: null, finish_reason: reason };
}

function chunk({ head, includeUsage }: ChunkState, choices: object[]): Record<string, unknown> {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    system_fingerprint: head.systemFingerprint,
    choices,
    ...(includeUsage && { usage: null }),
  };
}
