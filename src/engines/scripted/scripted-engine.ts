/** A text engine whose model answers from a script. @module */
import { textOfTokens } from '../../language/decoding/text-decoder.js';
import type { ImageReader, Speculation, TextEngine, TextSequence } from '../../language/decoding/text-engine.js';
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import { cancelled, InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { IgnoredParts } from '../../core/events/token-event.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import {
  continuedText,
  type GenerationRequest,
  offersTools,
  plainGenerationRequest,
} from '../../core/request/generation-request.js';
import { simulatedFailure } from '../../core/models/simulated-failure.js';
import { type Asked, askedOf } from './asked.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { END_TOKEN, IMAGE_TOKEN, ScriptedTokenizer } from './scripted-tokenizer.js';
import { type AnswerFormats, answerSyntax } from '../../language/families/answer-syntax.js';

/**
 * Logit of the scripted token; all others are between 0 and 1. So temperature and repetition penalty never choose another
 * token, but a bias of +100 on another, or of -100 on this one, does.
 */
const CERTAIN = 80;

/** The maximum number of choices of a request, so that they always decode together. */
const MAX_ROWS = 8;

/** Made once: without a reason, each sequence that ends makes an exception with a stack, a twentieth of a request's work. */
const CLOSED = cancelled();

/** A request whose reply is to be chosen. */
interface AskedReply {
  request: GenerationRequest;
  asked: Asked;
  signal: AbortSignal;
}

/** Which reply answers. Called once for each request that passed its checks. */
export type ChooseReply = (request: AskedReply) => ScriptedReply | Promise<ScriptedReply>;

interface ScriptedEngineOptions {
  script: Script;
  choose: ChooseReply;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
}

/** Gives logits only. Sampling, stop sequences, log-probabilities and usage are the shared code of all engines. */
export function createScriptedEngine(options: ScriptedEngineOptions): TextEngine {
  const { script, contextLength, toolFormat, reasoningFormat, choose } = options;
  const { images = false } = script;
  const tokenizer = new ScriptedTokenizer({ images });
  learnWords(tokenizer, options);
  return {
    tokenizer,
    contextLength,
    maxRows: MAX_ROWS,
    // Nothing is computed, so no one waits for another.
    maxSequences: Infinity,
    toolFormat,
    reasoningFormat,
    constrainable: false,
    ...(images && { images: IMAGE_READER }),
    open: async ({ answers: request, signal }) => {
      if (!request) throw new InferenceError('internal', 'A scripted model needs the request that it answers.');
      const scripted = await choose({
        request,
        asked: askedOf(withoutBegun(request), rawText(request, tokenizer)),
        signal,
      });
      const written = writeReply(scripted, request, options);
      const begun = continuedText(request);
      if (!written.startsWith(begun)) refuseInFormat(request);
      const tokens = tokenizer.encodeMarkup(written);
      const reply = written.startsWith(begun) ? withoutBeginning(tokens, begun, tokenizer) : tokens;
      const textStart = startOf(tokenizer.encodeText(scripted.text ?? ''), reply);
      return new ScriptedSequence({
        script,
        tokenizer,
        scripted,
        reply,
        textStart,
        ignored: ignoredCalls(scripted, request),
      });
    },
  };
}

/** @throws InferenceError `invalid_request` where the beginning of an answer and a reply must make JSON together, which they do not */
function refuseInFormat({ output, paramNames }: GenerationRequest): void {
  if (output.type === 'text') return;
  const param = paramNames?.messages ?? 'messages';
  throw new InferenceError(
    'invalid_request',
    `\`${param}\` ends with text that is not the start of the scripted reply, so both are no answer in the requested format.`,
    { param },
  );
}

/** The conversation before the beginning of its answer. */
function withoutBegun(request: GenerationRequest): GenerationRequest {
  const { prompt, continued } = request;
  if (!continued || prompt.type !== 'chat') return request;
  return { ...request, prompt: { type: 'chat', messages: prompt.messages.slice(0, -1) } };
}

/** A raw prompt as the model reads it. */
function rawText({ prompt }: GenerationRequest, tokenizer: ScriptedTokenizer): string {
  if (prompt.type === 'chat') return '';
  return textOfTokens(prompt.type === 'raw' ? tokenizer.encodeText(prompt.text) : prompt.ids, tokenizer);
}

/** The vocabulary must not grow during a generation, so all replies are encoded before. */
function learnWords(tokenizer: ScriptedTokenizer, options: ScriptedEngineOptions): void {
  const raw = plainGenerationRequest('', { type: 'raw', text: '' });
  const chat = plainGenerationRequest('', { type: 'chat', messages: [] });
  const tools = [{ name: 'any' }];
  const thinking = { reasoning: { enabled: true } };
  const requests = [raw, chat, { ...chat, tools }, { ...chat, ...thinking }, { ...chat, ...thinking, tools }];
  for (const reply of options.script.replies) {
    // Written twice, a repeated text shows its junction.
    const short = { ...reply, repeat: Math.min(2, reply.repeat ?? 1) };
    for (const request of requests) tokenizer.encodeMarkup(writeReply(short, request, options));
  }
}

/** Every image is one token. */
const IMAGE_READER: ImageReader = {
  placeholder: IMAGE_TOKEN,
  read: async () => ({ text: IMAGE_TOKEN, tokenCount: 1, key: -1 }),
};

/** Where some tokens begin in others; 0 where they do not occur. */
function startOf(part: readonly number[], whole: readonly number[]): number {
  const start = whole.findIndex((_, at) => part.every((token, index) => whole[at + index] === token));
  return part.length === 0 || start < 0 ? 0 : start;
}

interface SequenceOptions {
  script: Script;
  tokenizer: ScriptedTokenizer;
  scripted: ScriptedReply;
  reply: readonly number[];
  /** Place of the text in the reply. */
  textStart: number;
  /** Names of the calls that are not made. */
  ignored: string[];
}

class ScriptedSequence implements TextSequence {
  readonly cachedTokens = 0;
  readonly ignored: IgnoredParts | undefined;
  readonly #options: SequenceOptions;
  readonly #vocabularySize: number;
  readonly #closed = new AbortController();
  /** Ends waiting: the request was canceled, or the sequence was closed. */
  #signal: AbortSignal = this.#closed.signal;
  /** By `performance.now()`: when the last token was given. */
  #paced = performance.now();
  /** Place of each row in the reply. */
  #positions = [0];

  constructor(options: SequenceOptions) {
    this.#options = options;
    this.#vocabularySize = options.tokenizer.vocabularySize;
    if (options.ignored.length > 0) this.ignored = { toolCalls: options.ignored };
  }

  async prefill(signal: AbortSignal): Promise<Float32Array> {
    this.#signal = AbortSignal.any([signal, this.#closed.signal]);
    const { script, scripted } = this.#options;
    await failAsScripted(script, this.#signal);
    await this.#pace(scripted.firstTokenDelayMs);
    return this.#logits(0);
  }

  /** Only for tokens of a prompt, which no script foresees. */
  readonly speculation: Speculation = {
    isWorthwhile: () => false,
    canRollBack: () => false,
    score: async (tokens) =>
      tokens.map((_, index) => (index === tokens.length - 1 ? this.#logits(0) : this.#unforeseen(-1 - index))),
    rollBack: () => undefined,
  };

  async fork(rows: number): Promise<void> {
    this.#positions = Array.from({ length: rows }, () => this.#positions[0]!);
  }

  async decode(tokens: readonly (readonly number[])[]): Promise<Float32Array[]> {
    await this.#pace();
    return this.#positions.map((position, row) => {
      const next = (this.#positions[row] = this.#advance(position, tokens[row] ?? []));
      return this.#logits(next);
    });
  }

  async close(): Promise<void> {
    this.#closed.abort(CLOSED);
  }

  /** Waits for the next token's time, which is not before a whole delay after the last token. */
  async #pace(moreMs = 0): Promise<void> {
    const { script, scripted } = this.#options;
    const due = this.#paced + (scripted.tokenDelayMs ?? script.tokenDelayMs ?? 0) + moreMs;
    // A timer may fire a little early.
    for (let wait = due - performance.now(); wait > 0; wait = due - performance.now())
      await rest(Math.ceil(wait), this.#signal);
    throwIfCancelled(this.#signal);
    this.#paced = performance.now();
  }

  /** @throws InferenceError where the reply is one that fails here */
  #failAt(position: number): void {
    const { scripted, reply, textStart } = this.#options;
    if (scripted.error === undefined) return;
    const { status, retryAfter, afterTokens } = scripted.error;
    const end = afterTokens === undefined ? 0 : Math.min(textStart + afterTokens, reply.length);
    if (position >= end) throw simulatedFailure(status, retryAfter);
  }

  /**
   * Each token takes one position of the reply, also when a bias chose another one. A control token that comes early (a
   * reasoning budget) leads to the position after it.
   */
  #advance(position: number, tokens: readonly number[]): number {
    const { reply, tokenizer } = this.#options;
    let next = position;
    for (const token of tokens) {
      const isControl = token >= 256 && token < tokenizer.firstWord;
      const position = isControl ? reply.indexOf(token, next) : -1;
      next = position >= 0 ? position + 1 : next + 1;
    }
    return next;
  }

  #logits(position: number): Float32Array {
    this.#failAt(position);
    const logits = this.#unforeseen(position);
    logits[this.#options.reply[position] ?? END_TOKEN] = CERTAIN;
    return logits;
  }

  /** Words get small logits, different at each position, so that alternatives are words too. */
  #unforeseen(position: number): Float32Array {
    const logits = new Float32Array(this.#vocabularySize);
    const { firstWord } = this.#options.tokenizer;
    for (let token = firstWord; token < logits.length; token++) logits[token] = noise(token, position);
    return logits;
  }
}

/** From 0 to 1, always the same for the same token and position. */
function noise(token: number, position: number): number {
  const mixed = Math.imul(token + 1, 0x9e3779b1) ^ Math.imul(position + 1, 0x85ebca6b);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

/**
 * Reasoning is written when the request enables thinking, calls when it offers tools and does not forbid calls; a raw
 * prompt gets the text alone.
 */
function writeReply(reply: ScriptedReply, request: GenerationRequest, formats: AnswerFormats): string {
  const text = (reply.text ?? '').repeat(reply.repeat ?? 1);
  if (request.prompt.type !== 'chat') return text;
  const { tools, reasoning } = answerSyntax(formats);
  const { enabled, effort } = request.reasoning;
  const thinks = enabled ?? (effort !== undefined || request.templateArguments['enable_thinking'] === true);
  const thought = thinks ? (reply.reasoning ?? '') : '';
  const calls = offersTools(request) ? (reply.toolCalls ?? []) : [];
  return reasoning.write(thought, text, calls.length > 0 ? tools.write(calls) : '');
}

/** Calls of a reply for which the request has no tool. */
function ignoredCalls({ toolCalls = [] }: ScriptedReply, request: GenerationRequest): string[] {
  if (request.prompt.type !== 'chat' || offersTools(request)) return [];
  const offered = new Set(request.tools.map(({ name }) => name));
  return toolCalls.flatMap(({ name }) => (offered.has(name) ? [] : [name]));
}

/** The tokens behind a text; what is left of a token becomes bytes, because no word may be learned now. */
function withoutBeginning(tokens: readonly number[], begun: string, tokenizer: ScriptedTokenizer): number[] {
  let left = new TextEncoder().encode(begun).length;
  return tokens.flatMap((token) => {
    const bytes = tokenizer.bytesOf(token);
    const skipped = Math.min(left, bytes.length);
    left -= skipped;
    return skipped === 0 ? [token] : [...bytes.subarray(skipped)];
  });
}
