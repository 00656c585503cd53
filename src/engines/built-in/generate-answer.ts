/** Answers of the browser's model as token events. @module */
import { cancelled, InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { ChannelPart, ChoiceEndEvent, IgnoredParts, TokenEvent } from '../../core/events/token-event.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import type { ToolCall } from '../../core/request/message.js';
import { AnswerReader } from '../../language/decoding/answer-reader.js';
import { createChannelParser } from '../../language/families/answer-syntax.js';
import { refuseContinued } from '../common/refuse-continued.js';
import { completionCap } from '../../language/prompt/context-window.js';
import {
  type BrowserModel,
  copySession,
  keyFor,
  readHistory,
  type ReadHistory,
  watchOverflow,
} from './browser-conversation.js';
import { answerError, isDestroyed, isUnsatisfied } from './browser-error.js';
import { browserPrompt, FORMATS, promptMessages, type InputModalities, turnKeys } from './browser-prompt.js';
import { measure, type PromptSettings } from './language-model.js';
import { checkAnswer, outputInvalid, responseConstraint, type ResponseConstraint } from './response-constraint.js';
import type { OpenSession } from './session-pool.js';
import { TokenCap } from './token-cap.js';

/** What answers need besides the sessions. */
export interface AnsweringModel extends BrowserModel {
  senses: InputModalities;
  /** The entry's cap on an answer. */
  maxCompletionTokens: number | undefined;
  /** Tokens that the browser counts for a turn without text. */
  emptyTurn: number;
}

/** Sessions that are asked for one request. */
const MAX_CHOICES = 4;

/** Milliseconds without a piece of an answer that has begun. */
const SILENCE_TIMEOUT_MS = 60_000;

/** Refuses what the interface cannot do. @throws InferenceError `invalid_request` */
function refuseUnknown({ topLogprobs, sampling, n }: GenerationRequest): void {
  const refuse = (what: string, param: string): never => {
    throw new InferenceError('invalid_request', `The browser's built-in model ${what}.`, { param });
  };
  if (topLogprobs !== undefined) refuse('does not return log-probabilities', 'logprobs');
  if (Object.keys(sampling.logitBias ?? {}).length > 0) refuse('does not support `logit_bias`', 'logit_bias');
  if (sampling.seed !== undefined) refuse('does not accept seed', 'seed');
  if (n > MAX_CHOICES) refuse(`returns at most ${MAX_CHOICES} choices`, 'n');
}

interface SessionRun {
  model: AnsweringModel;
  request: GenerationRequest;
  constraint: ResponseConstraint;
  history: ReadHistory;
  /** Most tokens of a choice. */
  cap: number;
  signal: AbortSignal;
}

/** One choice after the other. A session that the browser destroyed before it answered is replaced once. */
export async function* generateAnswer(
  model: AnsweringModel,
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncGenerator<TokenEvent[], void> {
  throwIfCancelled(signal);
  refuseUnknown(request);
  refuseContinued(request, "the browser's built-in model");
  const constraint = responseConstraint(request);
  for (let attempt = 1; ; attempt += 1) {
    let hasBegun = false;
    try {
      for await (const events of answer(model, request, constraint, signal)) {
        hasBegun = true;
        yield events;
      }
      return;
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      if (isDestroyed(thrown)) {
        // Whatever ended one of them (an update of the model) has ended all.
        model.pool.clear();
        if (attempt === 1 && !hasBegun) continue;
      }
      throw answerError(thrown, constraint.param);
    }
  }
}

/** Tokens of the prompt. Rejects as {@link generateAnswer} does. */
export async function countPrompt(
  model: AnsweringModel,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<number> {
  const { settings, param } = responseConstraint(request);
  try {
    const prompt = browserPrompt(request, model.senses);
    const { open, promptTokens } = await readHistory(model, prompt, { ...settings, signal }, request.caller);
    model.pool.release(open);
    return promptTokens;
  } catch (thrown) {
    if (signal.aborted) throw cancelled(thrown);
    if (isDestroyed(thrown)) model.pool.clear();
    throw answerError(thrown, param);
  }
}

function ignoredParts({ prompt }: GenerationRequest, { schemaKeywords }: ResponseConstraint): IgnoredParts | undefined {
  const hasSuffix = prompt.type !== 'chat' && prompt.suffix !== undefined;
  if (!hasSuffix && schemaKeywords.length === 0) return undefined;
  return {
    ...(hasSuffix && { fields: ['suffix'] }),
    ...(schemaKeywords.length > 0 && { schemaKeywords: [...schemaKeywords] }),
  };
}

async function* answer(
  model: AnsweringModel,
  request: GenerationRequest,
  constraint: ResponseConstraint,
  signal: AbortSignal,
): AsyncGenerator<TokenEvent[], void> {
  const settings = { ...constraint.settings, signal };
  const history = await readHistory(model, browserPrompt(request, model.senses), settings, request.caller);
  const { promptTokens, cachedTokens } = history;
  const ignored = ignoredParts(request, constraint);
  const prompt: TokenEvent[] = [{ type: 'prompt', promptTokens, cachedTokens, ...(ignored && { ignored }) }];
  const ends: ChoiceEndEvent[] = [];
  let completionTokens = 0;
  try {
    const cap = completionCap(promptTokens, model.contextLength, [request.maxTokens, model.maxCompletionTokens]);
    const run: SessionRun = { model, request, constraint, history, cap, signal };
    for (let index = 0; index < request.n; index += 1) {
      const choice = new SessionChoice(index, run);
      for await (const events of choice.events()) yield [...prompt.splice(0), ...events];
      completionTokens += choice.tokens;
      ends.push(choice.end!);
    }
  } finally {
    model.pool.release(history.open);
  }
  yield [...prompt, { type: 'counts', promptTokens, cachedTokens, completionTokens, reasoningTokens: 0 }, ...ends];
}

/** One answer, on a session of its own. */
class SessionChoice {
  end: ChoiceEndEvent | undefined;
  /** Of the answer, as the browser counts. */
  tokens = 0;
  readonly #index: number;
  readonly #run: SessionRun;
  readonly #reader: AnswerReader;
  #text = '';
  readonly #calls: Pick<ToolCall, 'name' | 'arguments'>[] = [];

  constructor(index: number, run: SessionRun) {
    this.#index = index;
    this.#run = run;
    const { tools, stop } = run.request;
    const toolsOffered = offersTools(run.request);
    this.#reader = new AnswerReader(
      createChannelParser({ ...FORMATS, reasoningOpen: false, toolsOffered, tools }),
      stop,
    );
  }

  async *events(): AsyncGenerator<TokenEvent[], void> {
    const { model, history, cap, signal } = this.#run;
    if (cap === 0) return this.#finish('length', undefined);
    const open = await copySession(model, history, signal);
    const sessionAbort = new AbortController();
    let isReleased = false;
    try {
      const stop = AbortSignal.any([signal, sessionAbort.signal]);
      for await (const { text, isFull } of this.#pieces(open, stop)) {
        const { parts, stopSequence } = this.#reader.push(text);
        this.#note(parts);
        yield [{ type: 'piece', choice: this.#index, parts, isReasoning: false }];
        if (stopSequence !== undefined || isFull) {
          this.#finish(stopSequence === undefined ? 'length' : 'stop', stopSequence);
          break;
        }
      }
      this.tokens = await this.#measure(open, this.#reader.rawOutput);
      if (this.end) return;
      this.#finish('stop', undefined);
      if (this.end!.stopSequence !== undefined) return;
      checkAnswer(this.#run.request, { text: this.#text, calls: this.#calls, rawOutput: this.#reader.rawOutput });
      model.pool.release(open, [...open.keys, await this.#key()]);
      isReleased = true;
    } catch (thrown) {
      throw isUnsatisfied(thrown) ? outputInvalid(this.#reader.rawOutput, thrown) : thrown;
    } finally {
      sessionAbort.abort();
      // A session with another answer than the one that was given would continue another conversation.
      if (!isReleased) model.pool.discard(open);
    }
  }

  /** Pieces of the answer as they come, up to the cap or to the end of the context. */
  async *#pieces(open: OpenSession, signal: AbortSignal): AsyncGenerator<{ text: string; isFull: boolean }, void> {
    const { cap, constraint, history } = this.#run;
    const limit = new TokenCap(cap, (text) => this.#measure(open, text));
    const hasOverflown = watchOverflow(open.session);
    const settings: PromptSettings = { ...constraint.settings, signal };
    const reader = open.session.promptStreaming(history.prompt.input, settings).getReader();
    let silence = Infinity;
    try {
      for (;;) {
        const read = orAborted(reader.read(), signal);
        const next = silence === Infinity ? await read : await settledWithin(read, silence);
        if (!next)
          throw new InferenceError('unavailable', "The browser's built-in model stopped responding.", {
            retryAfter: 5,
          });
        if (next.done) return;
        silence = SILENCE_TIMEOUT_MS;
        // The browser makes room by forgetting the oldest turns: what follows would answer another conversation.
        yield hasOverflown() ? { text: '', isFull: true } : await limit.take(next.value);
      }
    } finally {
      void reader.cancel().catch(() => {});
    }
  }

  async #measure(open: OpenSession, text: string): Promise<number> {
    const { signal, model } = this.#run;
    const input = [{ role: 'user' as const, content: text }];
    return Math.max(0, (await orAborted(measure(open.session, input, { signal }), signal)) - model.emptyTurn);
  }

  #finish(reason: 'stop' | 'length', stopSequence: string | undefined): void {
    // Nothing may be pushed after a stop sequence.
    const last =
      stopSequence === undefined
        ? this.#reader.end('', reason === 'length')
        : { parts: [], stopSequence, cutBeforeCall: false };
    this.#note(last.parts);
    const found = last.stopSequence;
    this.end = {
      type: 'end',
      choice: this.#index,
      reason: found === undefined ? reason : 'stop',
      ...(found !== undefined && { stopSequence: found }),
      parts: last.parts,
      rawOutput: this.#reader.rawOutput,
      cutBeforeCall: last.cutBeforeCall,
    };
  }

  #note(parts: readonly ChannelPart[]): void {
    for (const part of parts) {
      if (part.type === 'text') this.#text += part.text;
      else if (part.type === 'tool-call-start') this.#calls.push({ name: part.name, arguments: '' });
      else if (part.type === 'tool-call-arguments') this.#calls.at(-1)!.arguments += part.text;
    }
  }

  /** The key of the answer as the client sends it back with the next turn. */
  async #key(): Promise<string> {
    const content = [{ type: 'text' as const, text: this.#text }];
    const toolCalls = this.#calls.map((call, index) => ({ id: String(index), ...call }));
    const sent = promptMessages([{ role: 'assistant', content, toolCalls }], [], this.#run.model.senses);
    return keyFor(this.#run.request.caller)((await turnKeys(sent))[0]!);
  }
}
