/** Generation events as the events of a response, from `response.created` to its end. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { TokenLogprob } from '../../../core/events/token-logprob.js';
import { outputFailureError } from '../generation/output-failure-error.js';
import { carryReasoning } from './carried-reasoning.js';
import { CustomInputReader } from './custom-tool.js';
import { newCustomToolCall, newFunctionCall, newMessage, newReasoning } from './new-item.js';
import { closeEvents, growEvents, openEvents } from './open-item.js';
import type { OpenItem } from './open-item.js';
import type { ResponseEvent } from './response-event.js';
import { toResponseUsage } from './response-object.js';
import type { OutputItem, ResponseLogprob, ResponseObject } from './response-object.js';

/** What rendering needs besides the generation. */
export interface RenderOptions {
  /** Makes `<prefix>_...`, unique. */
  createId: (prefix: 'msg' | 'rs' | 'fc' | 'ctc') => string;
  /** Unix seconds. */
  now: () => number;
  /** The thinking stands in the summary of its item, too. */
  summarises: boolean;
  /** Reasoning items carry the thinking as a string that the client sends back. */
  carriesReasoning: boolean;
  /** Names of the tools whose calls are custom tool calls. */
  customTools: ReadonlySet<string>;
  /** Told each finished item. */
  onItem: (item: OutputItem) => void;
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
      yield* startItem({ item: newReasoning(state.createId('rs')) }, state);
      return;
    case 'text-start':
      yield* startItem({ item: newMessage(state.createId('msg')) }, state);
      return;
    case 'tool-call-start':
      yield* startItem(newCall(event, state), state);
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

function* startItem(start: Omit<OpenItem, 'index'>, state: RenderState): Generator<ResponseEvent> {
  yield* closeItem(state);
  state.open = { ...start, index: state.response.output.length };
  state.response.output.push(start.item);
  yield* openEvents(state.open, state.summarises);
}

type CallStart = Extract<GenerationEvent, { type: 'tool-call-start' }>;

function newCall({ id, name }: CallStart, state: RenderState): Omit<OpenItem, 'index'> {
  if (!state.customTools.has(name)) return { item: newFunctionCall(state.createId('fc'), id, name) };
  return { item: newCustomToolCall(state.createId('ctc'), id, name), reader: new CustomInputReader() };
}

function* closeItem(state: RenderState): Generator<ResponseEvent> {
  const open = state.open;
  state.open = undefined;
  if (!open) return;
  const { item } = open;
  if (state.carriesReasoning && item.type === 'reasoning' && item.content[0]) {
    item.encrypted_content = carryReasoning(item.content[0].text);
  }
  yield* closeEvents(open, state.cut ? 'incomplete' : 'completed');
  state.onItem(item);
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
