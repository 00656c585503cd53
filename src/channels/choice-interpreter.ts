/** Turns the tokens of one choice into paired blocks. @module */
import type { ChoiceEndEvent, PieceEvent, TokenLogprob, TokenTextEvent } from '../events/token-event.js';
import type { GenerationRequest } from '../request/generation-request.js';
import type { ChannelPart } from '../families/parsing/channel-part.js';
import type { ChannelParser } from '../families/parsing/channel-parser.js';
import type { GenerationEvent } from './generation-event.js';
import { HeldLogprobs } from './held-logprobs.js';
import { findOutputFailure } from './output-failure.js';

/** One choice on its way. */
export interface ChoiceInterpreter {
  /** Events of a token, and whether it counts as reasoning (the tags around the reasoning do). */
  token(event: TokenTextEvent): InterpretedToken;
  /** The same of a piece, whose meaning is known. */
  piece(event: PieceEvent): InterpretedToken;
  /** Events of the choice's end; `choice-finish` is the last. */
  end(event: ChoiceEndEvent): GenerationEvent[];
}

export interface InterpretedToken {
  events: GenerationEvent[];
  isReasoning: boolean;
}

export interface ChoiceInterpreterOptions {
  choice: number;
  request: GenerationRequest;
  parser: ChannelParser;
  createId: () => string;
}

interface Call {
  name: string;
  arguments: string;
  complete: boolean;
}

/** See {@link ChoiceInterpreter}. */
export function createChoiceInterpreter(options: ChoiceInterpreterOptions): ChoiceInterpreter {
  const { choice, request, parser, createId } = options;
  const calls: Call[] = [];
  let block: 'none' | 'reasoning' | 'text' | 'tool-call' = 'none';
  const logprobs = new HeldLogprobs();
  let events: GenerationEvent[] = [];
  let rawOutput = '';
  let text = '';
  let completionTokens = 0;
  let dropping = false;
  let textSeen = false;

  const open = (kind: 'reasoning' | 'text'): void => {
    if (block === kind) return;
    close();
    block = kind;
    events.push({ type: `${kind}-start`, choice });
  };

  const close = (): void => {
    if (block === 'text' || block === 'reasoning') events.push({ type: `${block}-end`, choice });
    if (block === 'tool-call') events.push({ type: 'tool-call-end', choice, index: calls.length - 1 });
    block = 'none';
  };

  const textDelta = (piece: string, released: TokenLogprob[]): void => {
    open('text');
    textSeen = true;
    text += piece;
    events.push({ type: 'text-delta', choice, text: piece, ...(released.length > 0 ? { logprobs: released } : {}) });
  };

  const startCall = (name: string): void => {
    logprobs.drop();
    dropping = !request.parallelToolCalls && calls.length > 0;
    if (dropping) return;
    close();
    block = 'tool-call';
    calls.push({ name, arguments: '', complete: false });
    events.push({ type: 'tool-call-start', choice, index: calls.length - 1, id: createId(), name });
  };

  const addArguments = (piece: string): void => {
    if (dropping || piece === '') return;
    calls.at(-1)!.arguments += piece;
    events.push({ type: 'tool-call-delta', choice, index: calls.length - 1, argumentsDelta: piece });
  };

  const endCall = (): void => {
    if (!dropping) {
      calls.at(-1)!.complete = true;
      close();
    }
    dropping = false;
  };

  const take = (part: ChannelPart): void => {
    switch (part.type) {
      case 'text':
        return textDelta(part.text, logprobs.release(part.text));
      case 'reasoning':
        logprobs.drop();
        open('reasoning');
        events.push({ type: 'reasoning-delta', choice, text: part.text });
        return;
      case 'tool-call-start':
        return startCall(part.name);
      case 'tool-call-arguments':
        return addArguments(part.text);
      case 'tool-call-end':
        return endCall();
    }
  };

  const takeEvents = (): GenerationEvent[] => {
    const taken = events;
    events = [];
    return taken;
  };

  /** Held-back text of a call that the cap or a stop sequence cut is no content; a failure's raw output has it. */
  const endParts = ({ reason, stopSequence }: ChoiceEndEvent): { parts: ChannelPart[]; cutBeforeCall: boolean } => {
    const isCut = reason === 'length' || stopSequence !== undefined;
    const insideCall = isCut && parser.channel === 'tool-call';
    const parts = parser.end();
    const cutBeforeCall = insideCall && parts.some((part) => part.type === 'text');
    return { parts: cutBeforeCall ? parts.filter((part) => part.type !== 'text') : parts, cutBeforeCall };
  };

  const finishReason = (end: ChoiceEndEvent, endedInText: boolean): 'stop' | 'length' | 'tool-calls' => {
    if (end.stopSequence !== undefined) return 'stop';
    if (end.reason === 'length' && endedInText) return 'length';
    return calls.length > 0 ? 'tool-calls' : end.reason;
  };

  return {
    token(event) {
      const before = parser.channel;
      completionTokens += 1;
      rawOutput += event.text;
      const parts = parser.push(event.text);
      const after = parser.channel;
      if (event.logprob && before === 'text' && after === 'text') logprobs.hold(event.text, event.logprob);
      parts.forEach(take);
      return { events: takeEvents(), isReasoning: before === 'reasoning' || after === 'reasoning' };
    },
    piece({ part, logprobs: known = [] }) {
      completionTokens += 1;
      if ('text' in part) rawOutput += part.text;
      if (part.type === 'text') textDelta(part.text, known);
      else take(part);
      return { events: takeEvents(), isReasoning: part.type === 'reasoning' };
    },
    end(event) {
      const { reason, text: rest, stopSequence } = event;
      rawOutput += rest;
      parser.push(rest).forEach(take);
      const { parts, cutBeforeCall } = endParts(event);
      parts.forEach(take);
      // Tokens that a stop sequence swallowed whole still have log-probabilities.
      const swallowed = logprobs.releaseRest();
      if (swallowed.length > 0 && (block === 'text' || (!textSeen && calls.length === 0))) textDelta('', swallowed);
      const endedInText = block === 'text' || block === 'reasoning';
      close();
      const finished = { rawOutput, text, toolCalls: calls, cutBeforeCall, reason, stopSequence };
      const failure = findOutputFailure(request, finished);
      events.push({
        type: 'choice-finish',
        choice,
        reason: finishReason(event, endedInText),
        ...(stopSequence === undefined ? {} : { stopSequence }),
        ...(failure ? { failure } : {}),
        completionTokens,
      });
      return takeEvents();
    },
  };
}
