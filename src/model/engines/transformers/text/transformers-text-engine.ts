/** A text engine on an ONNX decoder. It reuses the KV cache of earlier prompts with the same beginning. @module */
import type { ImageReader, TextEngine, TextSequence } from '../../../decoding/text-engine.js';
import type { ReasoningFormat, ToolFormat } from '../../../../core/models/answer-formats.js';
import type { PromptImage } from '../../../prompt/prompt-image.js';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import type { GenerationRequest } from '../../../../core/request/generation-request.js';
import type { LogitsNeed } from '../../../sampling/token-logits.js';
import { ImageCache, type ImageCacheOptions } from '../vision/image-cache.js';
import type { ForwardPass } from './forward-pass.js';
import { type CachedPrefix, PrefixCache } from './prefix-cache.js';
import { OnnxSequence } from './onnx-sequence.js';
import { MAX_ROWS, BatchQueue } from './batch-queue.js';
import type { SequenceState } from './sequence-state.js';

/** Size of the prefix cache, in bytes. */
const MAX_CACHE_BYTES = 256 * 2 ** 20;

/** Maximum size of the logits of one block of a prompt, for graphs that give those of all tokens. */
const MAX_LOGITS_BYTES = 64 * 2 ** 20;

/** Blocks are a multiple of this many tokens. */
const BLOCK_STEP = 64;

export interface TextEngineOptions {
  forward: ForwardPass;
  emptyState(): SequenceState;
  tokenizer: TextTokenizer;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** Maximum number of prompt tokens per forward pass. An abort takes effect between passes. */
  blockLength: number;
  /** The graph takes rows of different lengths, so that several sequences can share a batch. */
  ragged: boolean;
  /** Absent: the model takes no images. */
  vision?: Pick<ImageCacheOptions, 'processor' | 'encoder'> | undefined;
}

/** An engine over one session. */
export class TransformersTextEngine implements TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly maxRows = MAX_ROWS;
  readonly maxSequences: number;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  readonly constrainable = true;
  readonly #options: TextEngineOptions;
  readonly #passes: BatchQueue;
  readonly #kept = new PrefixCache(MAX_CACHE_BYTES);
  readonly #blockLength: number;
  readonly #seen: ImageCache | undefined;

  constructor(options: TextEngineOptions) {
    this.#options = options;
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
    this.maxSequences = options.ragged ? MAX_ROWS : 1;
    this.#passes = new BatchQueue(options.forward, options.ragged);
    const { vision, tokenizer } = options;
    this.#seen = vision && new ImageCache({ ...vision, tokenizer, alone: (work) => this.#passes.alone(work) });
    this.#blockLength = options.forward.givesAllLogits
      ? boundedBlock(options.blockLength, options.tokenizer.vocabularySize)
      : options.blockLength;
  }

  async open(
    promptTokens: readonly number[],
    _: GenerationRequest,
    need: LogitsNeed,
    images: readonly PromptImage[] = [],
  ): Promise<TextSequence> {
    const layout = images.length > 0 ? this.#seen?.layOut(promptTokens, images) : undefined;
    const start = (await this.#kept.take(layout?.keys ?? promptTokens, need)) ?? this.#nothing();
    return new OnnxSequence(promptTokens, start, {
      passes: this.#passes,
      need,
      layout,
      blockLength: this.#blockLength,
      onClose: async (ended) => ended && this.#kept.keep(ended),
    });
  }

  get images(): ImageReader | undefined {
    return this.#seen;
  }

  #nothing(): CachedPrefix {
    const held = { state: this.#options.emptyState(), row: 0, length: 0 };
    return { tokens: [], promptLength: 0, promptLogits: undefined, held };
  }

  /** Frees what is kept for the next prompts. */
  dispose(): void {
    this.#kept.dispose();
  }
}

/** The block, or a smaller one whose logits fit. */
export function boundedBlock(blockLength: number, vocabularySize: number): number {
  const most = Math.floor(MAX_LOGITS_BYTES / (4 * vocabularySize * BLOCK_STEP)) * BLOCK_STEP;
  return Math.max(BLOCK_STEP, Math.min(blockLength, most));
}
