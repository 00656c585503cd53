/**
 * The interface between the decode loop and an engine: token ids in, logits out. Prompt rendering, sampling, grammars,
 * stop sequences, log-probabilities and usage are shared code above it, so every engine with this interface
 * (transformers.js, WebLLM, scripted) has all of them.
 * @module
 */
import type { IgnoredParts } from '../../core/events/token-event.js';
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
  /** What of the request has no effect with this engine. @default nothing */
  readonly ignored?: IgnoredParts | undefined;
  /**
   * Reads the part of the prompt that is not cached and returns the logits after its last token, valid until the next call.
   * Long prompts are read in pieces; an abort takes effect between them. What is drawn is sampled for each choice.
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
  /** For speculative decoding of one row; absent: the engine cannot roll back, or gives only the last token's logits. */
  readonly speculation?: Speculation | undefined;
  /** Ends the sequence. Engines that reuse prefixes keep its keys and values for the next one. Safe to call twice. */
  close(): Promise<void>;
}

/** Reads tokens of which some may be rolled back. */
export interface Speculation {
  /** False while several sequences decode together: their tokens make better use of a forward pass than drafts. */
  isWorthwhile(): boolean;
  /** Whether so many tokens, read now, could be removed again. */
  canRollBack(count: number): boolean;
  /** Appends tokens and returns the logits after each of the last `count`. The arrays stay valid. */
  score(tokens: readonly number[], count: number): Promise<TokenLogits[]>;
  /** Removes the last `count` tokens, as if they had not been read. */
  rollBack(count: number): void;
}

/** Image input of an engine. */
export interface ImageReader {
  /** What the model's chat templates write for an image. */
  readonly placeholder: string;
  /**
   * The text and the number of tokens of an image in a prompt. Does not run the vision encoder.
   * @param caller whose images are remembered apart; see `GenerationRequest`
   * @throws InferenceError `invalid_media`
   */
  read(image: ImagePart, caller?: GenerationRequest['caller']): Promise<PromptImage>;
}

/** What a sequence is opened with. */
export interface SequenceRequest {
  promptTokens: readonly number[];
  /** Images of the prompt as `images.read` returned them, in the order of their placeholders. @default none */
  images?: readonly PromptImage[] | undefined;
  /** Which logits the caller reads; an engine may return more. */
  need: LogitsNeed;
  /** Ends the wait for memory, with `cancelled`. */
  signal: AbortSignal;
  /** Choices that will decode together after `fork`. @default 1 */
  rows?: number;
  /** Tokens that each of them may generate. @default as many as the context holds */
  maxTokens?: number | undefined;
  /** Whether the prompt is to be persisted; see `GenerationRequest`. */
  cachePrompt?: GenerationRequest['cachePrompt'];
  /** Whose prompts may be reused, beside the app's own; see `GenerationRequest`. */
  caller?: GenerationRequest['caller'];
  /** See `GenerationRequest`. */
  adapter?: GenerationRequest['adapter'];
  /** What the reply of a scripted model is chosen by; other engines do not read it. */
  answers?: GenerationRequest | undefined;
}

/** An engine with one loaded text model. */
export interface TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  /** Maximum number of rows of `fork`; 1: choices are generated one after another. */
  readonly maxRows: number;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  /** False: grammars are not applied, because a scripted model follows its script. */
  readonly constrainable: boolean;
  /** How many sequences may be asked for at a time. The engine may decode them in one batch, and let some wait for room. */
  readonly maxSequences: number;
  /** Undefined: the model does not accept images. */
  readonly images?: ImageReader | undefined;
  /** Opens a sequence as soon as the engine has memory for it. */
  open(request: SequenceRequest): Promise<TextSequence>;
}
