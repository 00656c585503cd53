/** A text engine on an ONNX decoder. It reuses the KV cache of earlier prompts with the same beginning. @module */
import type { ImageReader, SequenceRequest, TextEngine, TextSequence } from '../../../language/decoding/text-engine.js';
import type { ReasoningFormat, ToolFormat } from '../../../core/models/answer-formats.js';
import type { TextTokenizer } from '../../../language/prompt/text-tokenizer.js';
import type { LogitsNeed } from '../../../language/sampling/token-logits.js';
import { ImageCache, type ImageCacheOptions } from '../vision/image-cache.js';
import type { ForwardPass } from './forward-pass.js';
import {
  BLOCK_TOKENS,
  type PersistentPromptCacheOptions,
  notCached,
  PersistentPromptCache,
  type ReadPrefix,
} from '../../../language/prefix-cache/persistent-prompt-cache.js';
import { prefixCacheBytes } from '../../../language/prefix-cache/prefix-cache-bytes.js';
import { type CachedPrefix, PrefixCache } from '../cache/prefix-cache.js';
import { OnnxSequence } from './onnx-sequence.js';
import { MAX_ROWS, BatchQueue } from './batch-queue.js';
import { SequenceAdmission } from '../../common/sequence-admission.js';
import type { SequenceState } from '../cache/sequence-state.js';
import { blockBytes, readBlock, stateOfBlocks } from '../cache/state-blocks.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** Maximum size of the logits of one block of a prompt, for graphs that give those of all tokens. */
const MAX_LOGITS_BYTES = 64 * 2 ** 20;

/** So many sequences are open at a time whatever memory they take; further ones as far as it goes. */
const ALWAYS_OPEN = 8;

/** Blocks are a multiple of this many tokens. */
const BLOCK_STEP = 64;

export interface TextEngineOptions {
  forward: ForwardPass;
  emptyState: () => SequenceState;
  tokenizer: TextTokenizer;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** Maximum number of prompt tokens per forward pass. An abort takes effect between passes. */
  blockLength: number;
  /** A last block of fewer tokens is read together with the one before. @default 1 */
  shortestBlock?: number;
  /** Several tokens may be appended at once to others; else each prompt is read in one pass, from its beginning. */
  blocks: boolean;
  /** Tokens that a sliding window of the model's attention sees; absent: it sees all. */
  window?: number | undefined;
  /** Rows of a batch that the graph takes. @default {@link MAX_ROWS} */
  rows?: number | undefined;
  /** The graph takes rows of different lengths, so that several sequences can share a batch. */
  supportsRaggedBatch: boolean;
  /** Bytes of keys and values up to which more than a few sequences may be open. @default as much as may be kept */
  roomBytes?: number | undefined;
  /** Undefined: the model does not accept images. */
  vision?: Pick<ImageCacheOptions, 'processor' | 'encoder'> | undefined;
  /** Where prompts are kept beyond this engine's life; absent: nowhere. */
  persist?: Pick<PersistentPromptCacheOptions, 'disk' | 'identity'> | undefined;
}

/** An engine over one session. */
export class TransformersTextEngine implements TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly maxRows: number;
  readonly maxSequences: number;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  readonly constrainable = true;
  readonly #options: TextEngineOptions;
  readonly #passes: BatchQueue;
  readonly #admission: SequenceAdmission;
  readonly #prefixes: PrefixCache;
  /** Undefined: nothing is kept beyond this engine's life. */
  readonly #lasting: PersistentPromptCache | undefined;
  readonly #blockLength: number;
  readonly #shortestBlock: number;
  readonly #imageCache: ImageCache | undefined;

  constructor(options: TextEngineOptions) {
    this.#options = options;
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
    this.maxRows = options.rows ?? MAX_ROWS;
    this.maxSequences = options.supportsRaggedBatch ? MAX_ROWS : 1;
    this.#admission = new SequenceAdmission({
      always: ALWAYS_OPEN,
      maxRows: MAX_ROWS,
      maxBytes: options.roomBytes ?? prefixCacheBytes(),
      tokenBytes: this.#nothing().held.state.tokenBytes,
    });
    this.#prefixes = new PrefixCache(prefixCacheBytes(), options.blocks);
    // A graph with a window may forget what it reads.
    const inPlace = options.supportsRaggedBatch && options.window === undefined;
    this.#passes = new BatchQueue(options.forward, options.supportsRaggedBatch, { inPlace });
    const { vision, tokenizer, persist } = options;
    this.#imageCache = vision && new ImageCache({ ...vision, tokenizer, alone: (work) => this.#passes.alone(work) });
    this.#shortestBlock = options.shortestBlock ?? 1;
    this.#blockLength = options.blocks ? blockLengthOf(options) : Infinity;
    if (persist && options.blocks) {
      this.#lasting = new PersistentPromptCache({
        ...persist,
        blockBytes: () => this.#withEmpty((empty) => blockBytes(empty, BLOCK_TOKENS)),
        passLength: this.#blockLength,
        rest: this.#shortestBlock,
        isBusy: () => this.#passes.isBusy,
      });
    }
  }

  async open(request: SequenceRequest): Promise<TextSequence> {
    const { promptTokens, images = [], need, signal, rows = 1, maxTokens, caller } = request;
    const reservation = await this.#admission.enter({ rows, promptTokens: promptTokens.length, maxTokens }, signal);
    try {
      const layout = images.length > 0 ? this.#imageCache?.layOut(promptTokens, images) : undefined;
      const start = (await this.#start(promptTokens, need, layout, caller)) ?? this.#nothing();
      const sequence = new OnnxSequence(promptTokens, start, {
        passes: this.#passes,
        need,
        layout,
        blockLength: this.#blockLength,
        shortestBlock: this.#shortestBlock,
        blocks: this.#options.blocks,
        window: this.#options.window,
        onClose: (ended) => this.#ended(ended && { ...ended, caller }, request, layout).finally(reservation.leave),
      });
      reservation.measure(() => sequence.heldTokens);
      return sequence;
    } catch (error) {
      reservation.leave();
      throw error;
    }
  }

  /** Keeps what a sequence has read. @param ended undefined after a failure of the engine */
  async #ended(
    ended: CachedPrefix | undefined,
    { promptTokens: prompt, cachePrompt }: SequenceRequest,
    layout: PromptLayout | undefined,
  ): Promise<void> {
    if (!ended) return;
    const isLasting = layout ? undefined : this.#lasting?.store(prompt, readPrefix(ended), cachePrompt);
    await this.#prefixes.store(ended);
    if (cachePrompt === 'required' && !(await isLasting)) throw notCached(this.#blockLength + this.#shortestBlock - 1);
  }

  /** What is known of the prompt, in memory or, where that has more, on the disk. */
  async #start(
    prompt: readonly number[],
    need: LogitsNeed,
    layout: PromptLayout | undefined,
    caller: string | undefined,
  ): Promise<CachedPrefix | undefined> {
    const inMemory = await this.#prefixes.take(layout?.keys ?? prompt, need, caller);
    const onDisk = layout ? undefined : await this.#lasting?.take(prompt, inMemory?.tokens.length ?? 0, caller);
    if (!onDisk) return inMemory;
    if (inMemory) await this.#prefixes.store({ ...inMemory, caller });
    return this.#withEmpty((empty) => prefixOf(onDisk.tokens, stateOfBlocks(empty, onDisk.blocks, BLOCK_TOKENS)));
  }

  get images(): ImageReader | undefined {
    return this.#imageCache;
  }

  #withEmpty<T>(use: (empty: SequenceState) => T): T {
    const empty = this.#options.emptyState();
    try {
      return use(empty);
    } finally {
      empty.release();
    }
  }

  #nothing(): CachedPrefix {
    const held = { state: this.#options.emptyState(), row: 0, length: 0 };
    return { tokens: [], promptLength: 0, exact: 0, promptLogits: undefined, held };
  }

  /** Frees what is cached for the next prompts. */
  dispose(): void {
    this.#lasting?.dispose();
    this.#prefixes.dispose();
  }
}

/** A prompt whose keys and values come from the disk. */
function prefixOf(tokens: readonly number[], state: SequenceState): CachedPrefix {
  const { length } = tokens;
  return { tokens, promptLength: length, exact: length, promptLogits: undefined, held: { state, row: 0, length } };
}

/** What can be kept of an ended sequence. */
function readPrefix({ held, exact, caller }: CachedPrefix): ReadPrefix {
  return {
    usable: held.state.isCroppable(exact) ? exact : 0,
    caller,
    hold: () => held.state.hold(),
    release: () => held.state.release(),
    block: (index) => readBlock(held, index * BLOCK_TOKENS, BLOCK_TOKENS),
  };
}

function blockLengthOf({ blockLength, forward, tokenizer }: TextEngineOptions): number {
  return forward.givesAllLogits ? boundedBlock(blockLength, tokenizer.vocabularySize) : blockLength;
}

/** The block, or a smaller one whose logits fit. */
export function boundedBlock(blockLength: number, vocabularySize: number): number {
  const most = Math.floor(MAX_LOGITS_BYTES / (4 * vocabularySize * BLOCK_STEP)) * BLOCK_STEP;
  return Math.max(BLOCK_STEP, Math.min(blockLength, most));
}
