/** One choice of a generation: chooses its tokens, knows its text and when it ends. @module */
import type { TokenConstraint } from '../constraints/token-constraint.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ChoiceEndEvent, TokenEvent, TokenLogprob } from '../../core/events/token-event.js';
import { type BegunChoice, continuedText, type GenerationRequest } from '../../core/request/generation-request.js';
import type { ChannelParser } from '../families/parsing/channel-parser.js';
import { adjustsLogits, LogitAdjuster, type LogProbabilities, logProbabilities } from '../sampling/adjust-logits.js';
import { AnswerRandom } from '../sampling/random.js';
import { greatestLogit, type TokenSampler } from '../sampling/sample-token.js';
import type { TokenLogits } from '../sampling/token-logits.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { WrongOutput } from '../../core/errors/wrong-output.js';
import { AnswerReader } from './answer-reader.js';
import { describeToken } from './describe-token.js';
import { TokenTextDecoder } from './text-decoder.js';

/** What a choice needs to know. */
export interface ChoiceOptions {
  /** 0 to n-1. */
  index: number;
  request: GenerationRequest;
  tokenizer: TextTokenizer;
  promptTokens: readonly number[];
  parser: ChannelParser;
  /** Most tokens, at least 1. */
  cap: number;
  sampler: TokenSampler;
  constraint: TokenConstraint | undefined;
  /** Undefined: thinking is not limited. */
  reasoning: ReasoningLimit | undefined;
  /** This choice decodes alone, so several tokens may be appended at once. */
  alone: boolean;
  /** How it begins; absent: with its first token. */
  begun?: BegunChoice | undefined;
}

/** Thinking that has taken `budget` tokens is ended by these. */
export interface ReasoningLimit {
  budget: number;
  close: readonly number[];
}

/** Draws before all tokens are looked at: where a string must end, nearly every token is too long. */
const MAX_SAMPLE_ATTEMPTS = 4;

/** Tokens of an earlier engine's answer that are read in one pass. */
const AGAIN_AT_ONCE = 64;

/** The state of one choice. Ends by itself; `dispose` frees the grammar. */
export class Choice {
  /** Tokens that the engine has not seen yet: what the last step chose. */
  pending: number[] = [];
  ended = false;
  /** What its tokens are sampled with. */
  readonly random: AnswerRandom;
  readonly #options: ChoiceOptions;
  /** Undefined: there is nothing to adjust. */
  readonly #adjuster: LogitAdjuster | undefined;
  readonly #decoder = new TokenTextDecoder();
  readonly #reader: AnswerReader;
  readonly #jumps: boolean;
  /** Tokens that come next without being sampled. */
  readonly #forced: number[] = [];
  /** Tokens that an earlier engine chose, and that are given again, the last one first. */
  readonly #again: number[];
  #count = 0;
  /** How many of them are thinking. */
  #thought = 0;

  constructor(options: ChoiceOptions) {
    const { request, tokenizer, promptTokens, index } = options;
    this.#options = options;
    const { sampling } = request;
    if (adjustsLogits(sampling)) {
      this.#adjuster = new LogitAdjuster(sampling, promptTokens, tokenizer.vocabularySize);
    }
    this.random = new AnswerRandom(sampling.seed, index);
    this.#reader = new AnswerReader(options.parser, request.stop, continuedText(request));
    // A token that is appended without its own logits would have no log-probability.
    this.#jumps = options.alone && request.topLogprobs === undefined;
    this.#again = options.begun?.tokens.toReversed() ?? [];
    if (options.reasoning) this.#limitReasoning();
  }

  /**
   * Chooses what comes next and fills `pending`.
   * @param logits after the last token: of the whole vocabulary, changed in place; or the greatest, or a sampled token, where they
   *   decide
   */
  step(logits: TokenLogits, events: TokenEvent[]): void {
    this.pending = [];
    this.#endAsBegun(events);
    if (!this.ended) this.#takeNext(logits, events);
    while (!this.ended && this.#jumps && this.#isNextKnown) this.#takeNext(undefined, events);
    this.#endAsBegun(events);
  }

  /** The next token needs no logits. */
  get #isNextKnown(): boolean {
    return this.#forced.length > 0 || (this.#again.length > 0 && this.pending.length < AGAIN_AT_ONCE);
  }

  #takeNext(logits: TokenLogits | undefined, events: TokenEvent[]): void {
    const { constraint } = this.#options;
    if (constraint) this.#queueGrammar(constraint);
    const forced = this.#forced.shift();
    this.#take(logits, forced, events);
    if (constraint && forced === undefined) this.#queueGrammar(constraint);
  }

  /** The end that an earlier engine came to. */
  #endAsBegun(events: TokenEvent[]): void {
    if (this.#options.begun?.ended && this.#again.length === 0 && !this.ended) this.#end('stop', events);
  }

  /** The likely next tokens, where the grammar allows only one text; else empty. */
  get likely(): number[] {
    return this.ended || !this.#jumps ? [] : (this.#options.constraint?.likelyTokens() ?? []);
  }

  /** Ends the choice where there is no room for any token. */
  endByCap(events: TokenEvent[]): void {
    this.#end('length', events);
  }

  dispose(): void {
    this.#options.constraint?.dispose();
  }

  /** Queues the tokens of text that the grammar forces. */
  #queueGrammar(constraint: TokenConstraint): void {
    if (this.ended || !this.#jumps || this.#forced.length > 0) return;
    const forced = constraint.forcedTokens();
    if (forced) this.#forced.push(...forced);
  }

  #limitReasoning(): void {
    const { reasoning } = this.#options;
    if (!reasoning || this.#forced.length > 0) return;
    if (this.#reader.isThinking && this.#thought >= reasoning.budget) this.#forced.push(...reasoning.close);
  }

  #take(logits: TokenLogits | undefined, forced: number | undefined, events: TokenEvent[]): void {
    const { tokenizer, request } = this.#options;
    const { topLogprobs } = request;
    const again = this.#again.pop();
    let probabilities: LogProbabilities | undefined;
    let logprobOf: ((token: number) => number) | undefined;
    let token = again ?? forced;
    if (logits instanceof Float32Array) {
      this.#adjuster?.adjust(logits);
      if (topLogprobs !== undefined) {
        probabilities = logProbabilities(logits, topLogprobs);
        const before = token === undefined && this.#options.constraint ? logits.slice() : logits;
        const { normalizer } = probabilities;
        logprobOf = (id) => Math.min(0, before[id]! - normalizer);
      }
      if (token === undefined) this.#options.constraint?.maskLogits(logits);
    }
    // Only known tokens come without logits.
    token ??= this.#sample(logits!);
    if (token < 0) throw this.#noToken();
    this.#accept(
      token,
      probabilities && logprobOf && describeToken(tokenizer, { token, logprob: logprobOf(token) }, probabilities.top),
      events,
    );
  }

  /** Why no token can be chosen: no logit is above -Infinity, unless the grammar leaves no token at all. */
  #noToken(): InferenceError {
    const { constraint, tokenizer } = this.#options;
    const allowed = new Float32Array(tokenizer.vocabularySize);
    constraint?.maskLogits(allowed);
    constraint?.lengths?.maskLogits(allowed);
    if (greatestLogit(allowed) < 0) return new InferenceError('internal', 'The grammar allows no next token.');
    return new WrongOutput('every token that may come next has the logit NaN or -Infinity');
  }

  /** Where masks leave lengths open, tokens that break them are sampled again. */
  #sample(logits: TokenLogits): number {
    const { sampler, constraint } = this.#options;
    const random = sampler.isGreedy ? undefined : this.random.at(this.#count);
    let token = sampler.sample(logits, random);
    const lengths = constraint?.lengths;
    if (!lengths || !(logits instanceof Float32Array)) return token;
    for (let attempts = 1; token >= 0 && !lengths.allows(token); attempts += 1) {
      if (attempts < MAX_SAMPLE_ATTEMPTS) logits[token] = -Infinity;
      else lengths.maskLogits(logits);
      token = sampler.sample(logits, random);
    }
    return token;
  }

  #accept(token: number, logprob: TokenLogprob | undefined, events: TokenEvent[]): void {
    const { constraint, tokenizer, index, cap } = this.#options;
    if (tokenizer.endTokens.has(token)) return this.#end('stop', events);
    constraint?.accept(token);
    this.#adjuster?.accept(token);
    this.#count += 1;
    this.pending.push(token);
    if (this.#reader.isThinking) this.#thought += 1;
    const text = this.#decoder.push(tokenizer.bytesOf(token));
    const { parts, isReasoning, stopSequence } = this.#reader.push(text, logprob);
    events.push({ type: 'piece', choice: index, parts, isReasoning, token });
    if (stopSequence !== undefined) {
      this.#endWith({ reason: 'stop', stopSequence, parts: [], cutBeforeCall: false }, events);
    } else if (constraint?.isComplete()) {
      this.#end('stop', events);
    } else if (this.#count >= cap) {
      this.#end('length', events);
    } else {
      if (this.#options.reasoning) this.#limitReasoning();
    }
  }

  #end(reason: 'stop' | 'length', events: TokenEvent[]): void {
    const { stopSequence, ...last } = this.#reader.end(this.#decoder.end(), reason === 'length');
    if (stopSequence === undefined) this.#endWith({ reason, ...last }, events);
    else this.#endWith({ reason: 'stop', stopSequence, ...last }, events);
  }

  #endWith(end: Omit<ChoiceEndEvent, 'type' | 'choice' | 'rawOutput'>, events: TokenEvent[]): void {
    this.ended = true;
    events.push({ type: 'end', choice: this.#options.index, rawOutput: this.#reader.rawOutput, ...end });
  }
}
