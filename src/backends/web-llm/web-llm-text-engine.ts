/**
 * WebLLM as a text engine: tokens in, logits out. It keeps the keys and values of one sequence, to which tokens can be
 * appended and which can be cleared, but not shortened. So a prompt that continues the last one (the conversation goes
 * on) reuses all of it; any other prompt begins anew.
 * @module
 */
import type { TextEngine, TextSequence } from '../../decoding/text-engine.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import { InferenceError, throwIfCancelled } from '../../errors/inference-error.js';
import type { ReasoningFormat, ToolFormat } from '../../families/families.js';
import { engineLost } from './engine-lost.js';
import type { LogitsTap } from './logits-tap.js';
import type { WebLlmEngine } from './web-llm-module.js';

export interface WebLlmTextEngineOptions {
  engine: WebLlmEngine;
  /** Registered as the engine's logit processor. */
  tap: LogitsTap;
  tokenizer: TextTokenizer;
  contextLength: number;
  /** Tokens of a prompt that are read at once; an abort is looked at in between. */
  chunkLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The engine threw: its state is unknown from now on. */
  onFailure: (error: InferenceError) => void;
}

/** One engine, one sequence at a time. */
export class WebLlmTextEngine implements TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly maxRows = 1;
  readonly maxSequences = 1;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  readonly constrainable = true;
  readonly #options: WebLlmTextEngineOptions;
  /** The tokens whose keys and values the engine holds. */
  #held: number[] = [];
  /** Settles when the engine is free: a sequence that was given up may still have a pass under way. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(options: WebLlmTextEngineOptions) {
    this.#options = options;
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
  }

  async open(promptTokens: readonly number[]): Promise<TextSequence> {
    await this.#free;
    if (!continues(promptTokens, this.#held)) {
      this.#held = [];
      await this.#attempt(() => this.#options.engine.resetChat());
    }
    const cachedTokens = this.#held.length;
    return {
      cachedTokens,
      prefill: (signal) => this.#prefill(promptTokens.slice(cachedTokens), signal),
      fork: () => Promise.reject(new InferenceError('internal', 'This engine decodes one choice at a time.')),
      decode: async ([tokens = []]) => [await this.#forward(tokens, false)],
      close: async () => {
        await this.#free;
      },
    };
  }

  async #prefill(tokens: readonly number[], signal: AbortSignal): Promise<Float32Array> {
    const { chunkLength } = this.#options;
    for (let from = 0; from < tokens.length; from += chunkLength) {
      throwIfCancelled(signal);
      await this.#forward(tokens.slice(from, from + chunkLength), true);
    }
    return this.#options.tap.logits;
  }

  async #forward(tokens: readonly number[], isPrefill: boolean): Promise<Float32Array> {
    const { engine, tap } = this.#options;
    // WebLLM takes several tokens only as part of a prompt.
    const pass = this.#attempt(() => engine.forwardTokensAndSample([...tokens], isPrefill || tokens.length > 1));
    this.#free = pass.catch(() => undefined);
    await pass;
    this.#held.push(...tokens);
    return tap.logits;
  }

  /** WebLLM leaves scopes open when it throws in the middle of a pass, so one failure ends the engine. */
  async #attempt<Value>(run: () => Promise<Value>): Promise<Value> {
    try {
      return await run();
    } catch (cause) {
      const error = engineLost('The GPU engine failed.', cause);
      this.#options.onFailure(error);
      throw error;
    }
  }
}

/** The prompt begins with all held tokens and goes on: its last token must be read to get logits. */
function continues(prompt: readonly number[], held: readonly number[]): boolean {
  return held.length < prompt.length && held.every((token, index) => token === prompt[index]);
}
