/** The whole answer from its events: what every non-streaming response is made of. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TokenLogprob } from '../../core/events/token-event.js';
import type { ToolCall } from '../../core/request/message.js';
import type { GenerationEvent, GenerationUsage, OutputFailure } from './generation-event.js';

/** One finished choice. */
export interface CollectedChoice {
  /** The content; empty when there was none. */
  text: string;
  /** Absent when the model did not reason. */
  reasoning?: string;
  toolCalls: ToolCall[];
  reason: 'stop' | 'length' | 'tool-calls';
  stopSequence?: string;
  failure?: OutputFailure;
  /** Of the content's tokens; absent unless the request asked for them. */
  logprobs?: TokenLogprob[];
  completionTokens: number;
}

/** A finished generation, choices in order. */
export interface CollectedGeneration {
  /** Catalog id of the model that answered. */
  model: string;
  promptTokens: number;
  cachedTokens: number;
  choices: CollectedChoice[];
  usage: GenerationUsage;
}

/** Reads all events. Rejects with what the batches throw, and with `internal` when they end without `finish`. */
export async function collectGeneration(
  batches: AsyncIterable<readonly GenerationEvent[]>,
): Promise<CollectedGeneration> {
  const choices: CollectedChoice[] = [];
  let start: Extract<GenerationEvent, { type: 'start' }> | undefined;
  let usage: GenerationUsage | undefined;
  for await (const batch of batches) {
    for (const event of batch) {
      if (event.type === 'start') start = event;
      else if (event.type === 'finish') usage = event.usage;
      else collect((choices[event.choice] ??= emptyChoice()), event);
    }
  }
  if (!start || !usage) throw new InferenceError('internal', 'The generation ended without a result.');
  const { model, promptTokens, cachedTokens } = start;
  return { model, promptTokens, cachedTokens, choices, usage };
}

function emptyChoice(): CollectedChoice {
  return { text: '', toolCalls: [], reason: 'stop', completionTokens: 0 };
}

function collect(choice: CollectedChoice, event: Exclude<GenerationEvent, { type: 'start' | 'finish' }>): void {
  switch (event.type) {
    case 'reasoning-delta':
      choice.reasoning = (choice.reasoning ?? '') + event.text;
      break;
    case 'text-delta':
      choice.text += event.text;
      if (event.logprobs) (choice.logprobs ??= []).push(...event.logprobs);
      break;
    case 'tool-call-start':
      choice.toolCalls[event.index] = { id: event.id, name: event.name, arguments: '' };
      break;
    case 'tool-call-delta':
      choice.toolCalls[event.index]!.arguments += event.argumentsDelta;
      break;
    case 'choice-finish':
      choice.reason = event.reason;
      choice.completionTokens = event.completionTokens;
      if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
      if (event.failure) choice.failure = event.failure;
      break;
    case 'reasoning-start':
    case 'reasoning-end':
    case 'text-start':
    case 'text-end':
    case 'tool-call-end':
      break;
  }
}
