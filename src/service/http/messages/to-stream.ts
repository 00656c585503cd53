/** Generation events as the events of a Messages stream. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { Render } from '../generation/generate.js';
import { choiceError, outputFailureError, unreadableCall } from '../generation/generate.js';
import { usageAtEnd, usageAtStart } from './message-object.js';
import type { ContentBlock, MessageEnd, MessageStreamEvent, StopReason } from './message-object.js';

/** Whether there are blocks of thinking, and whether they have its text. */
export type ThinkingDisplay = 'full' | 'empty' | 'none';

/** What the events of one message need besides the generation. */
export interface MessageContext {
  /** `msg_...`, unique. */
  id: string;
  /** `none`: a model's reasoning stays inside. */
  thinking: ThinkingDisplay;
  /** The usage tells cached tokens apart from other input. */
  showCache: boolean;
  compatibility: Compatibility;
}

interface MessageState extends MessageContext {
  /** Of the open or the next block. */
  blockIndex: number;
  end: MessageEnd | undefined;
}

/**
 * Renders the one choice of a generation. The prompt must have been read before the first event comes, so that errors of
 * the request are thrown before the stream begins. Throws `tool_choice_unsatisfied` where the model did not call.
 */
export function renderMessage(context: MessageContext): Render<MessageStreamEvent> {
  const state: MessageState = { ...context, blockIndex: 0, end: undefined };
  return (event, events) => {
    switch (event.type) {
      case 'start':
        events.push(messageStart(event, state), { type: 'ping' });
        return;
      case 'choice-finish':
        state.end = messageEnd(event, state.compatibility);
        return;
      case 'finish':
        if (!state.end) throw new InferenceError('internal', 'The generation ended without a result.');
        events.push(
          { type: 'message_delta', delta: state.end, usage: usageAtEnd(event.usage, state.showCache) },
          { type: 'message_stop' },
        );
        return;
      default:
        if (state.thinking !== 'none' || !event.type.startsWith('reasoning-')) addBlockEvents(event, state, events);
    }
  };
}

type BlockEvent = Exclude<GenerationEvent, { type: 'start' | 'choice-finish' | 'finish' }>;

function addBlockEvents(event: BlockEvent, state: MessageState, events: MessageStreamEvent[]): void {
  const index = state.blockIndex;
  switch (event.type) {
    case 'reasoning-start':
      events.push(blockStart(index, { type: 'thinking', thinking: '', signature: '' }));
      return;
    case 'reasoning-delta':
      if (state.thinking === 'empty') return;
      events.push({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: event.text } });
      return;
    case 'reasoning-end':
      // Clients keep a thinking block only with a signature; the message's id says where it came from.
      events.push({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: state.id } });
      break;
    case 'text-start':
      events.push(blockStart(index, { type: 'text', text: '' }));
      return;
    case 'text-delta':
      if (event.text) {
        events.push({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: event.text } });
      }
      return;
    case 'text-end':
      break;
    case 'tool-call-start': {
      const { id, name } = event;
      const call: ContentBlock = { type: 'tool_use', id: toolUseId(id), name, input: {}, caller: { type: 'direct' } };
      events.push(blockStart(index, call), inputDelta(index, ''));
      return;
    }
    case 'tool-call-delta':
      if (event.argumentsDelta) events.push(inputDelta(index, event.argumentsDelta));
      return;
    case 'tool-call-end':
      break;
  }
  events.push({ type: 'content_block_stop', index });
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

/** @throws InferenceError when the output is not what was asked for, and neither the token cap is the reason nor the table allows it */
function messageEnd({ reason, stopSequence, failure }: ChoiceFinish, compatibility: Compatibility): MessageEnd {
  // A call whose arguments nobody can read is run by nobody.
  const unreadable = unreadableCall(failure);
  if (unreadable) throw new InferenceError('internal', outputFailureError(unreadable).message);
  // A call without its end was cut, whatever came before it.
  if (reason === 'length' || failure?.type === 'tool-call') return ended('max_tokens');
  const error = choiceError({ failure }, compatibility);
  if (error?.code === 'tool_choice_unsatisfied') throw error;
  // This dialect has no shape for a wrong answer, so it is none.
  if (error) throw new InferenceError('internal', error.message);
  if (stopSequence !== undefined) return ended('stop_sequence', stopSequence);
  return ended(reason === 'tool-calls' ? 'tool_use' : 'end_turn');
}

function ended(stopReason: StopReason, stopSequence: string | null = null): MessageEnd {
  return { stop_reason: stopReason, stop_sequence: stopSequence };
}
