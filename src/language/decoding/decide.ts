/**
 * Decisions of a text engine: how likely the options of each question are at the place of its answer. Nothing is sampled.
 * The input is read once; each question is read after it, and rolled back where the engine can.
 * @module
 */
import { throwIfCancelled } from '../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';
import type { Decision, DecisionRequest, DecisionResult } from '../../core/request/decision-request.js';
import type { TokenLogits } from '../sampling/token-logits.js';
import { decisionPrompt, type DecisionPrompt, endTokensOf, type QuestionPrompt } from './decision-prompt.js';
import { OptionScores } from './option-scores.js';
import type { SequenceRequest, Speculation, TextEngine, TextSequence } from './text-engine.js';

/** Tokens of a question per pass: some graphs give the logits of all of them. */
const PASS = 64;

/**
 * Decides the questions of a request one after the other. An abort takes effect within a question.
 * @throws InferenceError `context_length_exceeded`, `invalid_media`, `cancelled`, or of the engine
 */
export async function decide(
  engine: TextEngine,
  request: DecisionRequest,
  signal: AbortSignal,
): Promise<DecisionResult> {
  const prompt = await decisionPrompt(engine, request);
  throwIfCancelled(signal);
  const run = new DecisionRun(engine, request, prompt, signal);
  try {
    await run.readInput();
    const decisions: Decision[] = [];
    for (const question of prompt.questions) {
      decisions.push({ probabilities: await run.decide(question) });
      await yieldToEventLoop();
      throwIfCancelled(signal);
    }
    const { head, input, questions } = prompt;
    const inputTokens = questions.reduce((sum, { tokens }) => sum + tokens.length, head.length + input.length);
    return { type: 'read', decisions, inputTokens, cachedTokens: run.cachedTokens };
  } finally {
    await run.close();
  }
}

/** One request on one engine. */
class DecisionRun {
  /** Tokens of the input that an earlier request has read. */
  cachedTokens = 0;
  readonly #engine: TextEngine;
  readonly #request: DecisionRequest;
  readonly #prompt: DecisionPrompt;
  readonly #signal: AbortSignal;
  /** Has read the input, and goes back there after each question. */
  #shared: TextSequence | undefined;

  constructor(engine: TextEngine, request: DecisionRequest, prompt: DecisionPrompt, signal: AbortSignal) {
    this.#engine = engine;
    this.#request = request;
    this.#prompt = prompt;
    this.#signal = signal;
  }

  async readInput(): Promise<void> {
    const { head, input, images, questions } = this.#prompt;
    const longest = Math.max(...questions.map(tokensOfQuestion));
    const { cachePrompt } = this.#request;
    const sequence = await this.#open({
      promptTokens: [...head, ...input],
      images,
      maxTokens: longest,
      ...(cachePrompt && { cachePrompt }),
    });
    this.#shared = sequence;
    this.cachedTokens = Math.min(input.length, Math.max(0, sequence.cachedTokens - head.length));
    await sequence.prefill(this.#signal);
    if (sequence.speculation?.canRollBack(longest) !== true) await this.close();
  }

  /** The probability of each option. */
  async decide(question: QuestionPrompt): Promise<number[]> {
    const { tokenizer } = this.#engine;
    const { options, endCounts } = question;
    if (options.length === 1) return [1];
    const scores = new OptionScores({
      options,
      endTokens: endCounts ? endTokensOf(this.#engine) : [],
      vocabularySize: tokenizer.vocabularySize,
    });
    const speculation = question.images.length === 0 ? this.#shared?.speculation : undefined;
    if (speculation) await this.#readAfterInput(question, scores, speculation);
    else await this.#readByItself(question, scores);
    return scores.probabilities();
  }

  async close(): Promise<void> {
    const sequence = this.#shared;
    this.#shared = undefined;
    await sequence?.close();
  }

  /** In the sequence that holds the input, which is as before when this is over, also after an abort. */
  async #readAfterInput({ tokens }: QuestionPrompt, scores: OptionScores, speculation: Speculation): Promise<void> {
    let added = 0;
    const read = async (more: readonly number[], count: number): Promise<TokenLogits[]> => {
      throwIfCancelled(this.#signal);
      const logits = await speculation.score(more, count);
      added += more.length;
      return logits;
    };
    try {
      for (let from = 0; from < tokens.length; from += PASS) {
        const [logits] = await read(tokens.slice(from, from + PASS), 1);
        if (from + PASS >= tokens.length) scores.read([], logits!);
      }
      for (const continuation of scores.continuations()) {
        const all = await read(continuation, continuation.length);
        for (const [index, logits] of all.entries()) scores.read(continuation.slice(0, index + 1), logits);
        speculation.rollBack(continuation.length);
        added -= continuation.length;
      }
    } finally {
      speculation.rollBack(added);
    }
  }

  /** In sequences of its own, which reuse what the engine keeps of the input. */
  async #readByItself(question: QuestionPrompt, scores: OptionScores): Promise<void> {
    const { head, input, images } = this.#prompt;
    const tokens = [...head, ...input, ...question.tokens];
    const continuations = scores.continuations();
    for (let index = 0; index < Math.max(1, continuations.length); index++) {
      const continuation = continuations[index] ?? [];
      const sequence = await this.#open({
        promptTokens: tokens,
        images: [...images, ...question.images],
        maxTokens: continuation.length,
      });
      try {
        scores.read([], await sequence.prefill(this.#signal));
        for (const [place, token] of continuation.entries()) {
          throwIfCancelled(this.#signal);
          const [logits] = await sequence.decode([[token]]);
          scores.read(continuation.slice(0, place + 1), logits!);
        }
      } finally {
        await sequence.close();
      }
    }
  }

  #open(request: Omit<SequenceRequest, 'need' | 'signal' | 'caller' | 'adapter'>): Promise<TextSequence> {
    const { caller, adapter } = this.#request;
    return this.#engine.open({ ...request, need: { type: 'all' }, signal: this.#signal, caller, adapter });
  }
}

function tokensOfQuestion({ tokens, options }: QuestionPrompt): number {
  return tokens.length + Math.max(...options.map(({ length }) => length));
}
