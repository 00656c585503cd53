/**
 * WebLLM as a text engine: tokens in, logits out. Its KV cache holds one sequence that can grow or be cleared, but not be
 * rolled back. So a prompt that continues the last one reuses it, and any other prompt starts from nothing. Each image is
 * read in a forward pass of its own.
 * @module
 */
import type { ImageReader, SequenceRequest, TextEngine, TextSequence } from '../../language/decoding/text-engine.js';
import { imageVectors, type PromptImage, promptKeys } from '../../language/prompt/prompt-image.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';
import { InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import type { LogitsNeed, TokenLogits } from '../../language/sampling/token-logits.js';
import { engineLost } from './device-watch.js';
import type { ImageInput, ShownImage } from './image-input.js';
import type { LogitsCapture, GpuSampler } from './gpu-sampler.js';
import type { WebLlmEngine } from './web-llm-environment.js';

interface WebLlmTextEngineOptions {
  engine: WebLlmEngine;
  /** Registered as the engine's logit processor. */
  capture: LogitsCapture;
  /** Undefined: the logits of every pass are captured. */
  sampler: GpuSampler | undefined;
  /** Undefined: the model does not accept images. */
  images: ImageInput | undefined;
  tokenizer: TextTokenizer;
  contextLength: number;
  /** Tokens of a prompt per forward pass; an abort takes effect in between. */
  chunkLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** Called when the engine threw; its state is unknown then. */
  onFailure: (error: InferenceError) => void;
}

/** For the pieces of a prompt before the last one, whose logits are not used. */
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
  /** The tokens in the KV cache; for image tokens the keys of their images. */
  #held: number[] = [];
  /** Whose they are; see `GenerationRequest`. */
  #caller: string | undefined;
  /** Images of the prompt, by key. */
  #shown: ReadonlyMap<number, ShownImage> = new Map();
  /** Settles when the engine is free: a cancelled sequence may still have a forward pass under way. */
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

  async open({ promptTokens, images = [], need, caller }: SequenceRequest): Promise<TextSequence> {
    await this.#free;
    const keys = this.#withImages(promptTokens, images);
    const mayContinue = this.#caller === undefined || this.#caller === caller;
    if (!mayContinue || !continues(keys, this.#held)) await this.#clear();
    this.#caller = caller;
    const cachedTokens = this.#held.length;
    return {
      cachedTokens,
      prefill: (signal) => this.#read(keys.slice(cachedTokens), need, signal),
      fork: () => Promise.reject(new InferenceError('internal', 'This engine decodes one choice at a time.')),
      decode: async ([tokens = []]) => [
        await this.#resultOf(await this.#forward({ keys: tokens, image: undefined }, { isPrefill: false, need })),
      ],
      close: async () => {
        await this.#free;
      },
    };
  }

  /** The tokens, with the keys of images for theirs. */
  #withImages(tokens: readonly number[], images: readonly PromptImage[]): readonly number[] {
    const { images: reader } = this.#options;
    const shown = images as readonly ShownImage[];
    this.#shown = new Map(shown.map((image) => [image.key, image]));
    if (!reader || images.length === 0) return tokens;
    return promptKeys(tokens, imageVectors(tokens, shown, reader.imageToken));
  }

  async #read(keys: readonly number[], need: LogitsNeed, signal?: AbortSignal): Promise<TokenLogits> {
    let chosen: number | undefined;
    let left = keys.length;
    for (const piece of promptPieces(keys, this.#shown, this.#options.chunkLength)) {
      if (signal) throwIfCancelled(signal);
      left -= piece.keys.length;
      chosen = await this.#forward(piece, { isPrefill: true, need: left === 0 ? need : NOTHING });
    }
    return this.#resultOf(chosen);
  }

  /** @returns the token that WebLLM sampled; undefined when the logits were captured */
  async #forward(
    { keys, image }: PromptPiece<ShownImage>,
    { isPrefill, need }: { isPrefill: boolean; need: LogitsNeed },
  ): Promise<number | undefined> {
    const { engine, sampler, images } = this.#options;
    const samples = sampler?.prepare(need) ?? false;
    // WebLLM counts these ids, and reads the image in their place.
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
    const { capture, tokenizer } = this.#options;
    if (chosen === undefined) return capture.logits;
    if (chosen < tokenizer.vocabularySize) return { sampled: [chosen] };
    // WebLLM may sample the padding of the vocabulary. This is rare, so all tokens are simply read again.
    const held = this.#held;
    await this.#clear();
    return this.#read(held, { type: 'all' });
  }

  async #clear(): Promise<void> {
    this.#held = [];
    await this.#attempt(() => this.#options.engine.resetChat());
  }

  /** After an error in a forward pass WebLLM's memory scopes stay open, so one failure ends the engine. */
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

/** The prompt begins with all held tokens and has more: its last token must be read to get logits. */
function continues(prompt: readonly number[], held: readonly number[]): boolean {
  return held.length < prompt.length && held.every((token, index) => token === prompt[index]);
}

/** What one forward pass reads of a prompt: tokens, or all of one image. */
interface PromptPiece<Image> {
  /** Token ids; for image tokens the keys of their images. */
  keys: readonly number[];
  image: Image | undefined;
}

/**
 * Splits a prompt: text into pieces of at most `most` tokens, images whole.
 * @param keys see `promptKeys`
 * @param images by key
 */
export function* promptPieces<Image extends PromptImage>(
  keys: readonly number[],
  images: ReadonlyMap<number, Image>,
  most: number,
): Generator<PromptPiece<Image>, void, undefined> {
  for (let from = 0; from < keys.length;) {
    const image = images.get(keys[from]!);
    const end = image ? from + image.tokenCount : endOfText(keys, from, images, most);
    yield { keys: keys.slice(from, end), image };
    from = end;
  }
}

function endOfText(keys: readonly number[], from: number, images: ReadonlyMap<number, unknown>, most: number): number {
  const latest = Math.min(from + most, keys.length);
  let end = from + 1;
  while (end < latest && !images.has(keys[end]!)) end += 1;
  return end;
}
