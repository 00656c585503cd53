/** Generation events as the events of a response, from `response.created` to its end. @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { TokenLogprob } from '../../../core/events/token-event.js';
import { choiceError, unreadableCall } from '../generation/generate.js';
import { CitationReader } from './citations.js';
import type { FileSearch } from './file-search.js';
import { encodeOpaqueText } from './opaque-text.js';
import {
  closeItem,
  appendToItem,
  newCall,
  newMessage,
  newReasoning,
  openItem,
  type CallPrefix,
  type NewItem,
  type OpenItem,
} from './open-item.js';
import type { CallForm } from './tools.js';
import {
  type FileSearchCallItem,
  type OutputItem,
  type ResponseEvent,
  type ResponseLogprob,
  type ResponseObject,
  toResponseUsage,
} from './response-object.js';

/** What rendering needs besides the generation. */
export interface RenderOptions {
  /** Makes `<prefix>_...`, unique. */
  createId: (prefix: 'msg' | 'rs' | 'fs' | CallPrefix) => string;
  /** Unix seconds. */
  now: () => number;
  /** The thinking stands in the summary of its item, too. */
  summarises: boolean;
  /** Reasoning items carry the thinking as a string that the client sends back. */
  carriesReasoning: boolean;
  /** What a call is to the client. */
  formOf: (called: string) => CallForm;
  compatibility: Compatibility;
  /** What was searched for in files before the answer. */
  search?: FileSearch | undefined;
  /** The call of that search tells what was found. */
  tellsResults: boolean;
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
export function renderGeneration(event: GenerationEvent, state: RenderState, events: ResponseEvent[]): void {
  switch (event.type) {
    case 'start':
      state.response.model = event.model;
      events.push(
        { type: 'response.created', response: snapshot(state) },
        { type: 'response.in_progress', response: snapshot(state) },
      );
      if (state.search?.isNew) addSearch(state.search, state, events);
      return;
    case 'reasoning-start':
      return startItem({ item: newReasoning(state.createId('rs')) }, state, events);
    case 'text-start':
      return startItem({ item: newMessage(state.createId('msg')), ...citing(state) }, state, events);
    case 'tool-call-start':
      return startItem(newCall(state.formOf(event.name), event.id, state.createId), state, events);
    case 'reasoning-delta':
      if (state.open) appendToItem(state.open, event.text, [], events);
      return;
    case 'text-delta':
      if (state.open) appendToItem(state.open, event.text, toLogprobs(event.logprobs), events);
      return;
    case 'tool-call-delta':
      if (state.open) appendToItem(state.open, event.argumentsDelta, [], events);
      return;
    case 'reasoning-end':
    case 'text-end':
    case 'tool-call-end':
      return;
    case 'choice-finish':
      endChoice(event, state);
      return endItem(state, events);
    case 'finish':
      events.push(finishEvent(state, event));
  }
}

/** The response so far, safe from later changes. */
export function snapshot(state: RenderState): ResponseObject {
  return { ...state.response, output: structuredClone(state.response.output) };
}

/** The search is over when the answer begins. */
function addSearch({ query, results }: FileSearch, state: RenderState, events: ResponseEvent[]): void {
  const item: FileSearchCallItem = {
    type: 'file_search_call',
    id: state.createId('fs'),
    status: 'in_progress',
    queries: [query],
    results: null,
  };
  const output_index = state.response.output.push(item) - 1;
  const position = { item_id: item.id, output_index };
  events.push(
    { type: 'response.output_item.added', output_index, item: structuredClone(item) },
    { type: 'response.file_search_call.in_progress', ...position },
    { type: 'response.file_search_call.searching', ...position },
    { type: 'response.file_search_call.completed', ...position },
  );
  item.status = 'completed';
  if (state.tellsResults) item.results = results.map(({ fileId: file_id, ...found }) => ({ file_id, ...found }));
  events.push({ type: 'response.output_item.done', output_index, item: structuredClone(item) });
  state.onItem(item);
}

function citing({ search }: RenderState): Pick<NewItem, 'citations'> {
  return search?.hasMarks && search.results.length > 0 ? { citations: new CitationReader(search.results) } : {};
}

function startItem(start: NewItem, state: RenderState, events: ResponseEvent[]): void {
  endItem(state, events);
  state.open = { ...start, index: state.response.output.length };
  state.response.output.push(start.item);
  openItem(state.open, state.summarises, events);
}

function endItem(state: RenderState, events: ResponseEvent[]): void {
  const open = state.open;
  state.open = undefined;
  if (!open) return;
  const { item } = open;
  if (state.carriesReasoning && item.type === 'reasoning' && item.content[0]) {
    item.encrypted_content = encodeOpaqueText(item.content[0].text);
  }
  if (!closeItem(open, state.cut ? 'incomplete' : 'completed', events)) {
    // Nothing was said of it yet.
    state.response.output.pop();
    state.failure = UNREADABLE;
    return;
  }
  state.onItem(item);
}

/** A call whose item holds an object has no place for anything else. */
const UNREADABLE = new InferenceError('model_output_invalid', 'The arguments of a tool call could not be read.');

type ChoiceFinish = Extract<GenerationEvent, { type: 'choice-finish' }>;

function endChoice({ reason, failure }: ChoiceFinish, state: RenderState): void {
  const wrong = choiceError({ failure }, state.compatibility);
  // A call without its end was cut, whatever came before it. What cannot be read is wrong, whatever was cut behind it.
  const isCut = reason === 'length' || (failure?.type === 'tool-call' && failure.isCut);
  state.cut = isCut && !(wrong && unreadableCall(failure));
  const error = state.cut ? undefined : wrong;
  if (error?.code === 'tool_choice_unsatisfied') throw error;
  state.failure ??= error;
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
