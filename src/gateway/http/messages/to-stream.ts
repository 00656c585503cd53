/** Generation events as the events of a Messages stream. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { outputFailureError } from '../generation/output-failure-error.js';
import { usageAtEnd, usageAtStart } from './message-object.js';
import type { ContentBlock, MessageEnd, MessageStreamEvent, StopReason } from './message-object.js';

/** What the events of one message need besides the generation. */
export interface MessageContext {
  /** `msg_...`, unique. */
  id: string;
  /** Thinking was asked for; otherwise a model's reasoning stays inside. */
  showThinking: boolean;
  /** The usage tells cached tokens apart from other input. */
  showCache: boolean;
}

interface MessageState extends MessageContext {
  /** Of the open or the next block. */
  blockIndex: number;
  end: MessageEnd | undefined;
}

/**
 * Renders the one choice of a generation. What one generation event causes comes in one piece. The prompt must have
 * been read before the first event comes, so that errors of the request are thrown before the stream begins.
 * @throws InferenceError of the generation, or `tool_choice_unsatisfied`
 */
export async function* toMessageStream(
  events: AsyncIterable<GenerationEvent>,
  context: MessageContext,
): AsyncGenerator<MessageStreamEvent[], void, undefined> {
  const state: MessageState = { ...context, blockIndex: 0, end: undefined };
  for await (const event of events) {
    const rendered = [...renderEvent(event, state)];
    if (rendered.length > 0) yield rendered;
  }
}

function* renderEvent(event: GenerationEvent, state: MessageState): Generator<MessageStreamEvent> {
  switch (event.type) {
    case 'start':
      yield messageStart(event, state);
      yield { type: 'ping' };
      return;
    case 'choice-finish':
      state.end = messageEnd(event);
      return;
    case 'finish':
      if (!state.end) throw new InferenceError('internal', 'The generation ended without a result.');
      yield { type: 'message_delta', delta: state.end, usage: usageAtEnd(event.usage, state.showCache) };
      yield { type: 'message_stop' };
      return;
    default:
      yield* renderBlock(event, state);
  }
}

type BlockEvent = Exclude<GenerationEvent, { type: 'start' | 'choice-finish' | 'finish' }>;

function* renderBlock(event: BlockEvent, state: MessageState): Generator<MessageStreamEvent> {
  if (event.type.startsWith('reasoning-') && !state.showThinking) return;
  const index = state.blockIndex;
  switch (event.type) {
    case 'reasoning-start':
      yield blockStart(index, { type: 'thinking', thinking: '', signature: '' });
      return;
    case 'reasoning-delta':
      yield { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: event.text } };
      return;
    case 'reasoning-end':
      // Clients keep a thinking block only with a signature; the message's id says where it came from.
      yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: state.id } };
      break;
    case 'text-start':
      yield blockStart(index, { type: 'text', text: '' });
      return;
    case 'text-delta':
      if (event.text) yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: event.text } };
      return;
    case 'text-end':
      break;
    case 'tool-call-start':
      yield blockStart(index, {
        type: 'tool_use',
        id: toolUseId(event.id),
        name: event.name,
        input: {},
        caller: { type: 'direct' },
      });
      yield inputDelta(index, '');
      return;
    case 'tool-call-delta':
      if (event.argumentsDelta) yield inputDelta(index, event.argumentsDelta);
      return;
    case 'tool-call-end':
      break;
  }
  yield { type: 'content_block_stop', index };
  state.blockIndex += 1;
}

type GenerationStart = Extract<GenerationEvent, { type: 'start' }>;

function messageStart(
  { model, promptTokens, cachedTokens }: GenerationStart,
  context: MessageContext,
): MessageStreamEvent {
  return {
    type: 'message_start',
    message: {
      id: context.id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageAtStart(promptTokens, context.showCache ? cachedTokens : 0),
    },
  };
}

function blockStart(index: number, block: ContentBlock): MessageStreamEvent {
  return { type: 'content_block_start', index, content_block: block };
}

function inputDelta(index: number, json: string): MessageStreamEvent {
  return { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } };
}

/** The id under which this dialect's clients answer the call. */
function toolUseId(callId: string): string {
  return `toolu_${callId.replace(/^call_/, '')}`;
}

type ChoiceFinish = Extract<GenerationEvent, { type: 'choice-finish' }>;

/** @throws InferenceError when the output is not what was asked for, and the token cap is not the reason */
function messageEnd({ reason, stopSequence, failure }: ChoiceFinish): MessageEnd {
  // A call without its end was cut, whatever came before it.
  if (reason === 'length' || failure?.type === 'tool-call') return ended('max_tokens');
  if (failure?.type === 'tool-choice') throw outputFailureError(failure);
  // This dialect has no shape for a wrong answer, so it is none.
  if (failure) throw new InferenceError('internal', outputFailureError(failure).message);
  if (stopSequence !== undefined) return ended('stop_sequence', stopSequence);
  return ended(reason === 'tool-calls' ? 'tool_use' : 'end_turn');
}

function ended(stopReason: StopReason, stopSequence: string | null = null): MessageEnd {
  return { stop_reason: stopReason, stop_sequence: stopSequence };
}
