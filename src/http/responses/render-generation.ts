/** Generation events as the events of a response, from `response.created` to its end. @module */
import type { GenerationEvent } from '../../channels/generation-event.js';
import type { InferenceError } from '../../errors/inference-error.js';
import type { TokenLogprob } from '../../events/token-event.js';
import { outputFailureError } from '../generation/output-failure-error.js';
import { closeEvents, growEvents, newFunctionCall, newMessage, newReasoning, openEvents } from './open-item.js';
import type { OpenItem } from './open-item.js';
import type { ResponseEvent } from './response-event.js';
import { toResponseUsage } from './response-object.js';
import type { OutputItem, ResponseLogprob, ResponseObject } from './response-object.js';

/** What rendering needs besides the generation. */
export interface RenderOptions {
  /** Makes `<prefix>_...`, unique. */
  createId: (prefix: 'msg' | 'rs' | 'fc') => string;
  /** Unix seconds. */
  now: () => number;
}

/** The response as far as it is known. `response.output` grows with each item. */
export interface RenderState extends RenderOptions {
  response: ResponseObject;
  /** Nothing is open, or the item that the model writes or has just ended. */
  open: OpenItem | undefined;
  cut: boolean;
  /** The answer is not what was asked for. */
  failure: InferenceError | undefined;
}

/**
 * Renders one event. An item whose block ended stays open until the next event shows whether the token cap cut it.
 * @throws InferenceError `tool_choice_unsatisfied`
 */
export function* renderGeneration(event: GenerationEvent, state: RenderState): Generator<ResponseEvent> {
  switch (event.type) {
    case 'start':
      state.response.model = event.model;
      yield { type: 'response.created', response: snapshot(state) };
      yield { type: 'response.in_progress', response: snapshot(state) };
      return;
    case 'reasoning-start':
      yield* startItem(newReasoning(state.createId('rs')), state);
      return;
    case 'text-start':
      yield* startItem(newMessage(state.createId('msg')), state);
      return;
    case 'tool-call-start':
      yield* startItem(newFunctionCall(state.createId('fc'), event.id, event.name), state);
      return;
    case 'reasoning-delta':
    case 'text-delta':
      if (state.open) yield* growEvents(state.open, event.text, 'logprobs' in event ? toLogprobs(event.logprobs) : []);
      return;
    case 'tool-call-delta':
      if (state.open) yield* growEvents(state.open, event.argumentsDelta);
      return;
    case 'reasoning-end':
    case 'text-end':
    case 'tool-call-end':
      return;
    case 'choice-finish':
      endChoice(event, state);
      yield* closeItem(state);
      return;
    case 'finish':
      yield finishEvent(state, event);
  }
}

/** The response so far, safe from later changes. */
export function snapshot(state: RenderState): ResponseObject {
  return { ...state.response, output: structuredClone(state.response.output) };
}

function* startItem(item: OutputItem, state: RenderState): Generator<ResponseEvent> {
  yield* closeItem(state);
  state.open = { index: state.response.output.length, item };
  state.response.output.push(item);
  yield* openEvents(state.open);
}

function* closeItem(state: RenderState): Generator<ResponseEvent> {
  const open = state.open;
  state.open = undefined;
  if (open) yield* closeEvents(open, state.cut ? 'incomplete' : 'completed');
}

type ChoiceFinish = Extract<GenerationEvent, { type: 'choice-finish' }>;

function endChoice({ reason, failure }: ChoiceFinish, state: RenderState): void {
  // A call without its end was cut, whatever came before it.
  state.cut = reason === 'length' || failure?.type === 'tool-call';
  if (!failure || state.cut) return;
  if (failure.type === 'tool-choice') throw outputFailureError(failure);
  state.failure = outputFailureError(failure);
}

type Finish = Extract<GenerationEvent, { type: 'finish' }>;

function finishEvent(state: RenderState, { usage }: Finish): ResponseEvent {
  const response: ResponseObject = { ...snapshot(state), usage: toResponseUsage(usage) };
  if (state.failure) {
    const { code, message } = state.failure;
    return { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } };
  }
  if (state.cut) {
    const incomplete_details = { reason: 'max_output_tokens' } as const;
    return { type: 'response.incomplete', response: { ...response, status: 'incomplete', incomplete_details } };
  }
  const completed_at = Math.max(state.now(), response.created_at);
  return { type: 'response.completed', response: { ...response, status: 'completed', completed_at } };
}

function toLogprobs(logprobs: TokenLogprob[] | undefined): ResponseLogprob[] {
  return (logprobs ?? []).map(({ token, bytes, logprob, top }) => ({ token, bytes, logprob, top_logprobs: top }));
}
