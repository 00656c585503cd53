/** A text engine on a GGUF decoder. All its sequences share passes and pages of the KV cache. @module */
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import type { SequenceRequest, TextEngine, TextSequence } from '../../language/decoding/text-engine.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';
import {
  BLOCK_TOKENS,
  type PersistentPromptCacheOptions,
  notCached,
  PersistentPromptCache,
  type ReadPrefix,
} from '../../language/prefix-cache/persistent-prompt-cache.js';
import type { InferenceError } from '../../core/errors/inference-error.js';
import { prefixCacheBytes } from '../../language/prefix-cache/prefix-cache-bytes.js';
import { SequenceAdmission } from '../common/sequence-admission.js';
import type { AdapterSet } from './adapter-products.js';
import { choicesOf } from './choices.js';
import type { Forward } from './forward-interface.js';
import { GgufSequence } from './gguf-sequence.js';
import { PAGE_POSITIONS } from './kernel-exports.js';
import { type KvPages, KvSequence } from './kv-pages.js';
import { type CachedPrefix, PageCache } from './page-cache.js';
import { PassQueue } from './pass-queue.js';

/** Maximum number of sequences that decode together. */
const MAX_ROWS = 32;

/** So many sequences are open at a time whatever memory they take; further ones as far as it goes. */
const ALWAYS_OPEN = 8;

/** The adapters of a model. */
export interface EngineAdapters {
  /** Of requests that name none: those that always apply. */
  always: AdapterSet | undefined;
  /** Of requests that name one, those that always apply included. */
  byId: ReadonlyMap<string, { set: AdapterSet; identity: string }>;
}

export interface GgufTextEngineOptions {
  forward: Forward;
  pages: KvPages;
  tokenizer: TextTokenizer;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  adapters?: EngineAdapters | undefined;
  /** Where prompts are kept beyond this engine's life; absent: nowhere. */
  persist?: Pick<PersistentPromptCacheOptions, 'disk' | 'identity'> | undefined;
  /** Called once when the engine can no longer compute. */
  onLost: (error: InferenceError) => void;
}

export class GgufTextEngine implements TextEngine {
  readonly tokenizer: TextTokenizer;
  readonly contextLength: number;
  readonly maxRows = MAX_ROWS;
  readonly maxSequences = MAX_ROWS;
  readonly toolFormat: ToolFormat;
  readonly reasoningFormat: ReasoningFormat;
  readonly constrainable = true;
  readonly #pages: KvPages;
  readonly #passes: PassQueue;
  readonly #admission: SequenceAdmission;
  readonly #cache = new PageCache();
  readonly #adapters: EngineAdapters;
  /** Undefined: nothing is kept beyond this engine's life. */
  readonly #lasting: PersistentPromptCache | undefined;

  constructor(options: GgufTextEngineOptions) {
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
    this.#adapters = options.adapters ?? { always: undefined, byId: new Map() };
    this.#pages = options.pages;
    this.#pages.evict = () => this.#cache.evict();
    this.#passes = new PassQueue(options.forward, options.onLost);
    this.#admission = new SequenceAdmission({
      always: ALWAYS_OPEN,
      maxRows: MAX_ROWS,
      maxBytes: prefixCacheBytes(),
      tokenBytes: options.pages.pageBytes / PAGE_POSITIONS,
    });
    this.#lasting =
      options.persist &&
      new PersistentPromptCache({
        ...options.persist,
        blockBytes: () => this.#pages.pageBytes,
        stateBytes: this.#pages.states?.bytes,
        // Keys and values do not depend on how a prompt is cut into passes.
        passLength: BLOCK_TOKENS,
        rest: 1,
        isBusy: () => this.#passes.isBusy,
      });
  }

  async open(request: SequenceRequest): Promise<TextSequence> {
    const { promptTokens, signal, rows = 1, maxTokens, caller, adapter } = request;
    const reservation = await this.#admission.enter({ rows, promptTokens: promptTokens.length, maxTokens }, signal);
    try {
      const sequence = new GgufSequence({
        prompt: promptTokens,
        kv: await this.#start(promptTokens, caller, adapter),
        adapters: this.#setOf(adapter),
        passes: this.#passes,
        choices: this.#passes.choosesTokens ? choicesOf(request.need, rows) : undefined,
        onClose: (ended) => this.#ended({ ...ended, caller, adapter }, request).finally(reservation.leave),
      });
      reservation.measure(() => sequence.heldTokens);
      return sequence;
    } catch (error) {
      reservation.leave();
      throw error;
    }
  }

  /** What is known of the prompt, in memory or, where that has more, on the disk. */
  async #start(
    prompt: readonly number[],
    caller: string | undefined,
    adapter: string | undefined,
  ): Promise<KvSequence> {
    const inMemory = this.#cache.take(prompt, caller, adapter) ?? new KvSequence(this.#pages);
    const { length } = inMemory;
    const onDisk = await this.#lasting?.take(prompt, length, caller, this.#identityOf(adapter));
    if (!onDisk) return inMemory;
    this.#cache.keep({ tokens: prompt.slice(0, length), kv: inMemory, caller, adapter });
    const read = new KvSequence(this.#pages);
    try {
      for (const block of onDisk.blocks) read.append(block);
      return read;
    } catch (error) {
      read.release();
      throw error;
    }
  }

  /** Keeps what a sequence has read. */
  async #ended(ended: CachedPrefix, { promptTokens, cachePrompt }: SequenceRequest): Promise<void> {
    const isLasting = this.#lasting?.store(promptTokens, this.#readPrefix(ended), cachePrompt);
    this.#cache.keep(ended);
    if (cachePrompt === 'required' && !(await isLasting)) throw notCached(BLOCK_TOKENS);
  }

  #setOf(adapter: string | undefined): AdapterSet | undefined {
    return adapter === undefined ? this.#adapters.always : this.#adapters.byId.get(adapter)?.set;
  }

  #identityOf(adapter: string | undefined): string | undefined {
    return adapter === undefined ? undefined : this.#adapters.byId.get(adapter)?.identity;
  }

  #readPrefix({ kv, caller, adapter }: CachedPrefix): ReadPrefix {
    let held: KvSequence | undefined;
    return {
      usable: kv.length,
      caller,
      adapter: this.#identityOf(adapter),
      hold: () => (held = kv.fork()),
      release: () => held?.release(),
      block: async (index) => held!.block(index),
    };
  }

  /** Nothing more is written to the disk. */
  dispose(): void {
    this.#lasting?.dispose();
  }
}
