/**
 * WebLLM as a text engine: tokens in, logits out. It keeps the keys and values of one sequence, to which tokens can be
 * appended and which can be cleared, but not shortened. So a prompt that continues the last one (the conversation goes
 * on) reuses all of it; any other prompt begins anew. Images are read where they stand, each in a pass of its own.
 * @module
 */
import type { ImageReader, TextEngine, TextSequence } from '../../decoding/text-engine.js';
import { imagePlaces, promptKeys } from '../../prompt/image-places.js';
import type { PromptImage } from '../../prompt/prompt-image.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import { InferenceError, throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { ReasoningFormat, ToolFormat } from '../../../core/models/answer-formats.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { LogitsNeed, TokenLogits } from '../../sampling/token-logits.js';
import { engineLost } from './engine-lost.js';
import type { ImageInput, ShownImage } from './image-input.js';
import type { LogitsTap } from './logits-tap.js';
import type { OwnSampler } from './own-sampler.js';
import { type PromptPiece, promptPieces } from './prompt-pieces.js';
import type { WebLlmEngine } from './web-llm-module.js';

export interface WebLlmTextEngineOptions {
  engine: WebLlmEngine;
  /** Registered as the engine's logit processor. */
  tap: LogitsTap;
  /** Absent: the tap sees every pass. */
  sampler: OwnSampler | undefined;
  /** Absent: the model takes no images. */
  images: ImageInput | undefined;
  tokenizer: TextTokenizer;
  contextLength: number;
  /** Tokens of a prompt that are read at once; an abort is looked at in between. */
  chunkLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The engine threw: its state is unknown from now on. */
  onFailure: (error: InferenceError) => void;
}

/** Of a prompt's pieces only the last one's logits count. */
const NOTHING: LogitsNeed = { type: 'greatest', count: 1 };

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
  /** The tokens whose keys and values the engine holds; the key of an image at its places. */
  #held: number[] = [];
  /** Images of the prompt, by key. */
  #shown: ReadonlyMap<number, ShownImage> = new Map();
  /** Settles when the engine is free: a sequence that was given up may still have a pass under way. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(options: WebLlmTextEngineOptions) {
    this.#options = options;
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
  }

  get images(): ImageReader | undefined {
    return this.#options.images;
  }

  async open(
    promptTokens: readonly number[],
    _: GenerationRequest,
    need: LogitsNeed,
    images: readonly PromptImage[] = [],
  ): Promise<TextSequence> {
    await this.#free;
    const keys = this.#withImages(promptTokens, images);
    if (!continues(keys, this.#held)) await this.#clear();
    const cachedTokens = this.#held.length;
    return {
      cachedTokens,
      prefill: (signal) => this.#read(keys.slice(cachedTokens), need, signal),
      fork: () => Promise.reject(new InferenceError('internal', 'This engine decodes one choice at a time.')),
      decode: async ([tokens = []]) => [
        await this.#resultOf(await this.#forward({ keys: tokens, image: undefined }, false, need)),
      ],
      close: async () => {
        await this.#free;
      },
    };
  }

  /** The tokens, with the keys of images at their places. */
  #withImages(tokens: readonly number[], images: readonly PromptImage[]): readonly number[] {
    const { images: reader } = this.#options;
    const shown = images as readonly ShownImage[];
    this.#shown = new Map(shown.map((image) => [image.key, image]));
    if (!reader || images.length === 0) return tokens;
    return promptKeys(tokens, imagePlaces(tokens, shown, reader.imageToken));
  }

  async #read(keys: readonly number[], need: LogitsNeed, signal?: AbortSignal): Promise<TokenLogits> {
    let chosen: number | undefined;
    let left = keys.length;
    for (const piece of promptPieces(keys, this.#shown, this.#options.chunkLength)) {
      if (signal) throwIfCancelled(signal);
      left -= piece.keys.length;
      chosen = await this.#forward(piece, true, left === 0 ? need : NOTHING);
    }
    return this.#resultOf(chosen);
  }

  /** @returns what WebLLM chose; undefined: the tap has the logits */
  async #forward(
    { keys, image }: PromptPiece<ShownImage>,
    isPrefill: boolean,
    need: LogitsNeed,
  ): Promise<number | undefined> {
    const { engine, sampler, images } = this.#options;
    const samples = sampler?.prepare(need) ?? false;
    // The library counts the ids of an image's places, and reads the image.
    const ids = image ? keys.map(() => images!.imageToken) : [...keys];
    // WebLLM takes several tokens only as part of a prompt.
    const run = () => this.#attempt(() => engine.forwardTokensAndSample(ids, isPrefill || ids.length > 1));
    const pass = image ? images!.show(image.part, run) : run();
    this.#free = pass.catch(() => undefined);
    const chosen = await pass;
    this.#held.push(...keys);
    return samples ? chosen : undefined;
  }

  async #resultOf(chosen: number | undefined): Promise<TokenLogits> {
    const { tap, tokenizer } = this.#options;
    if (chosen === undefined) return tap.logits;
    if (chosen < tokenizer.vocabularySize) return { tokens: [chosen], values: new Float32Array(1) };
    // WebLLM takes the padding of the matrix for tokens. Models learn never to choose it, so this may take its time.
    const held = this.#held;
    await this.#clear();
    return this.#read(held, { type: 'all' });
  }

  async #clear(): Promise<void> {
    this.#held = [];
    await this.#attempt(() => this.#options.engine.resetChat());
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
