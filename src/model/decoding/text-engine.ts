/**
 * The seam below the decode loop: an engine that turns token ids into logits. Prompt rendering, sampling, grammars,
 * stop sequences, log-probabilities and counting are shared code above it, so every engine that offers this (the
 * transformers.js one, WebLLM, the scripted one) inherits all of them.
 * @module
 */
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import type { PromptImage } from '../prompt/prompt-image.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ImagePart } from '../../core/request/message.js';
import type { LogitsNeed, TokenLogits } from '../sampling/token-logits.js';

/** A running generation inside an engine: the keys and values of its tokens. */
export interface TextSequence {
  /** How many of the prompt's tokens were reused from an earlier sequence. */
  readonly cachedTokens: number;
  /**
   * Reads the prompt (what of it is not cached) and returns the logits after its last token.
   * The array is only valid until the next call. Long prompts are read in pieces, and `signal` is looked at between them.
   */
  prefill(signal: AbortSignal): Promise<TokenLogits>;
  /**
   * Makes `rows` copies of the state after prefill, so that the choices of one request decode together.
   * Called at most once, before the first `decode`; `rows` is at most `maxRows`.
   */
  fork(rows: number): Promise<void>;
  /**
   * Appends tokens and returns the logits after the last of each row. With one row, several tokens may be appended
   * at once (jump-forward); with more, each row gets exactly one. The arrays are only valid until the next call.
   * @param tokens per row
   */
  decode(tokens: readonly (readonly number[])[]): Promise<TokenLogits[]>;
  /** Absent: the engine gives only the logits after the last token, or cannot take tokens back. For one row. */
  readonly lookahead?: Lookahead | undefined;
  /** Ends the sequence. Engines that reuse prefixes keep its keys and values for the next one. Safe to call twice. */
  close(): Promise<void>;
}

/** Reads tokens of which some may be taken back. */
export interface Lookahead {
  /** False while a pass has something better to read: tokens of other sequences. */
  pays(): boolean;
  /** Appends tokens and returns the logits after each of the last `count`. The arrays stay valid. */
  read(tokens: readonly number[], count: number): Promise<TokenLogits[]>;
  /** Forgets the last `count` tokens, as if they had not been read. */
  takeBack(count: number): void;
}

/** The eyes of an engine. */
export interface ImageReader {
  /** What the model's chat templates write for an image. */
  readonly placeholder: string;
  /** Runs of the vision encoder since the model was loaded: shows that what was seen is kept. */
  readonly encodedImages: number;
  /**
   * Finds out what an image becomes in a prompt, without running the vision encoder.
   * @throws InferenceError `invalid_media`
   */
  read(image: ImagePart): Promise<PromptImage>;
}

/** An engine with one loaded text model. */
export interface TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  /** Most rows that `fork` takes; 1: choices are generated one after another. */
  readonly maxRows: number;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  /** False: grammars are not applied (a scripted model says what its script says). */
  readonly constrainable: boolean;
  /** How many sequences may be open at a time. What they decode at the same time may be decoded together. */
  readonly maxSequences: number;
  /** Absent: the model takes no images. */
  readonly images?: ImageReader | undefined;
  /**
   * Starts a sequence.
   * @param request for scripted models only
   * @param need what the caller reads of the logits; an engine that saves nothing by it gives all
   * @param images that the prompt has places for, in their order, as `images` has read them; absent: none
   */
  open(
    promptTokens: readonly number[],
    request: GenerationRequest,
    need: LogitsNeed,
    images?: readonly PromptImage[],
  ): Promise<TextSequence>;
}
