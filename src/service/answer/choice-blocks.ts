/** Turns the parts of one choice into paired blocks. @module */
import type { ChannelPart, ChoiceEndEvent } from '../../core/events/token-event.js';
import { continuedText, type GenerationRequest } from '../../core/request/generation-request.js';
import type { GenerationEvent, OutputFailure } from './generation-event.js';

export interface ChoiceBlocksOptions {
  /** 0 to n-1. */
  choice: number;
  request: GenerationRequest;
  /** Unique ids of tool calls. */
  createId: () => string;
}

/** `arguments` is JSON text; `complete` is false when the call never ended. */
interface Call {
  name: string;
  arguments: string;
  complete: boolean;
}

/** One choice on its way: which block is open, what calls there were, and how much was written. */
export class ChoiceBlocks {
  readonly #options: ChoiceBlocksOptions;
  readonly #calls: Call[] = [];
  #block: 'none' | 'reasoning' | 'text' | 'tool-call' = 'none';
  #text = '';
  #completionTokens = 0;
  #isDropping = false;

  constructor(options: ChoiceBlocksOptions) {
    this.#options = options;
  }

  /** The parts of one token. @param events what they mean is added here */
  token(parts: readonly ChannelPart[], events: GenerationEvent[]): void {
    this.#completionTokens += 1;
    for (const part of parts) this.#take(part, events);
  }

  /** The choice's end; `choice-finish` is the last event. */
  end(end: ChoiceEndEvent, events: GenerationEvent[]): void {
    for (const part of end.parts) this.#take(part, events);
    const { choice, request } = this.#options;
    const endedInText = this.#block === 'text' || this.#block === 'reasoning';
    this.#close(events);
    const failure = failureOf(request, end, continuedText(request) + this.#text, this.#calls);
    events.push({
      type: 'choice-finish',
      choice,
      reason: this.#finishReason(end, endedInText),
      ...(end.stopSequence === undefined ? {} : { stopSequence: end.stopSequence }),
      ...(failure && { failure: { ...failure, rawOutput: end.rawOutput } }),
      completionTokens: this.#completionTokens,
    });
  }

  #take(part: ChannelPart, events: GenerationEvent[]): void {
    switch (part.type) {
      case 'text':
        if (this.#block !== 'text') this.#open('text', events);
        this.#text += part.text;
        events.push(
          part.logprobs
            ? { type: 'text-delta', choice: this.#options.choice, text: part.text, logprobs: part.logprobs }
            : { type: 'text-delta', choice: this.#options.choice, text: part.text },
        );
        return;
      case 'reasoning':
        if (this.#block !== 'reasoning') this.#open('reasoning', events);
        events.push({ type: 'reasoning-delta', choice: this.#options.choice, text: part.text });
        return;
      case 'tool-call-start':
        return this.#startCall(part.name, events);
      case 'tool-call-arguments':
        return this.#addArguments(part.text, events);
      case 'tool-call-end':
        return this.#endCall(events);
    }
  }

  #open(kind: 'reasoning' | 'text', events: GenerationEvent[]): void {
    this.#close(events);
    this.#block = kind;
    events.push({ type: `${kind}-start`, choice: this.#options.choice });
  }

  #close(events: GenerationEvent[]): void {
    const { choice } = this.#options;
    if (this.#block === 'text' || this.#block === 'reasoning') events.push({ type: `${this.#block}-end`, choice });
    if (this.#block === 'tool-call') events.push({ type: 'tool-call-end', choice, index: this.#calls.length - 1 });
    this.#block = 'none';
  }

  #startCall(name: string, events: GenerationEvent[]): void {
    const { choice, request, createId } = this.#options;
    this.#isDropping = !request.parallelToolCalls && this.#calls.length > 0;
    if (this.#isDropping) return;
    this.#close(events);
    this.#block = 'tool-call';
    this.#calls.push({ name, arguments: '', complete: false });
    events.push({ type: 'tool-call-start', choice, index: this.#calls.length - 1, id: createId(), name });
  }

  #addArguments(piece: string, events: GenerationEvent[]): void {
    if (this.#isDropping || piece === '') return;
    this.#calls.at(-1)!.arguments += piece;
    const index = this.#calls.length - 1;
    events.push({ type: 'tool-call-delta', choice: this.#options.choice, index, argumentsDelta: piece });
  }

  #endCall(events: GenerationEvent[]): void {
    if (!this.#isDropping) {
      this.#calls.at(-1)!.complete = true;
      this.#close(events);
    }
    this.#isDropping = false;
  }

  #finishReason(end: ChoiceEndEvent, endedInText: boolean): 'stop' | 'length' | 'tool-calls' {
    if (end.stopSequence !== undefined) return 'stop';
    if (end.reason === 'length' && endedInText) return 'length';
    return this.#calls.length > 0 ? 'tool-calls' : end.reason;
  }
}

/**
 * The first reason why the choice must not count as an answer; undefined when it is one. What a stop sequence ended is the
 * answer that was asked for, however unfinished.
 * @param text its content
 */
function failureOf(
  request: GenerationRequest,
  { reason, stopSequence, cutBeforeCall }: ChoiceEndEvent,
  text: string,
  calls: readonly Call[],
): Omit<OutputFailure, 'rawOutput'> | undefined {
  const isCut = reason === 'length';
  // Only of the last call, which never ended, the cap or a stop sequence can be the reason.
  const unreadable = calls.filter((call) => !isJsonObject(call.arguments));
  if (unreadable.some(({ complete }) => complete)) return { type: 'tool-call', isCut: false };
  if (stopSequence !== undefined) return undefined;
  if (cutBeforeCall) return { type: 'tool-call', isCut };
  if (unreadable.length > 0 || (isCut && calls.some(({ complete }) => !complete))) return { type: 'tool-call', isCut };
  if (!choiceSatisfied(request, calls)) {
    // The cap, not the model, kept a required call from coming.
    return { type: isCut && calls.length === 0 ? 'tool-call' : 'tool-choice', isCut };
  }
  if (request.output.type === 'text' || calls.length > 0) return undefined;
  const valid = request.output.type === 'json-object' ? isJsonObject(text) : parsedJson(text) !== undefined;
  return valid ? undefined : { type: 'structured-output', isCut };
}

function choiceSatisfied({ toolChoice, tools }: GenerationRequest, calls: readonly { name: string }[]): boolean {
  if (tools.length === 0 || toolChoice === 'auto' || toolChoice === 'none') return true;
  if (calls.length === 0) return false;
  return toolChoice === 'required' || calls.every((call) => call.name === toolChoice.name);
}

/** Undefined: the text is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonObject(text: string): boolean {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
