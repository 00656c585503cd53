/** A text engine on an ONNX decoder, one sequence at a time, reusing what the next prompt shares with the last. @module */
import type { TextEngine, TextSequence } from '../../../decoding/text-engine.js';
import type { ReasoningFormat, ToolFormat } from '../../../families/families.js';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import type { ForwardPass } from './forward-pass.js';
import { type KeptLogits, type KeptSequence, reusableLength } from './kept-sequence.js';
import { OnnxSequence } from './onnx-sequence.js';
import type { SequenceState } from './sequence-state.js';

/** Choices that decode in one batch. */
const MOST_ROWS = 8;

export interface TextEngineOptions {
  forward: ForwardPass;
  emptyState(): SequenceState;
  tokenizer: TextTokenizer;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** Tokens of a prompt that are read in one run. Abortion is looked at between runs. */
  blockLength: number;
}

/** An engine over one session. */
export class TransformersTextEngine implements TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly maxRows = MOST_ROWS;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  readonly constrainable = true;
  readonly #options: TextEngineOptions;
  #kept: KeptSequence | undefined;
  #keptLogits: KeptLogits | undefined;

  constructor(options: TextEngineOptions) {
    this.#options = options;
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
  }

  async open(promptTokens: readonly number[]): Promise<TextSequence> {
    const kept = this.#kept;
    this.#kept = undefined;
    const length = kept ? reusableLength(kept, promptTokens, this.#options.blockLength, this.#keptLogits) : 0;
    const start = await this.#continueFrom(kept, length);
    const known = length === promptTokens.length ? this.#keptLogits?.logits : undefined;
    return new OnnxSequence(promptTokens, start, known, {
      forward: this.#options.forward,
      blockLength: this.#options.blockLength,
      onPrompt: (logits) => (this.#keptLogits = { tokens: [...promptTokens], logits: logits.slice() }),
      onClose: (ended) => (this.#kept = ended),
    });
  }

  /** Frees what is kept for the next prompt. */
  dispose(): void {
    this.#kept?.state.dispose();
    this.#kept = undefined;
    this.#keptLogits = undefined;
  }

  async #continueFrom(kept: KeptSequence | undefined, length: number): Promise<KeptSequence> {
    if (kept && length === kept.tokens.length) return kept;
    const state = kept && length > 0 ? await kept.state.crop(length) : this.#options.emptyState();
    kept?.state.dispose();
    const tokens = kept?.tokens.slice(0, length) ?? [];
    return { tokens, promptLength: Math.min(kept?.promptLength ?? 0, length), state };
  }
}
