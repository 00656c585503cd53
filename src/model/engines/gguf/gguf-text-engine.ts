/** A text engine on a GGUF decoder. All its sequences share passes and pages of the KV cache. @module */
import type { ReasoningFormat, ToolFormat } from '../../../core/models/answer-formats.js';
import type { SequenceRequest, TextEngine, TextSequence } from '../../decoding/text-engine.js';
import type { TextTokenizer } from '../../prompt/text-tokenizer.js';
import { prefixCacheBytes } from '../prefix-cache-bytes.js';
import { SequenceAdmission } from '../sequence-admission.js';
import type { ForwardPass } from './forward.js';
import { GgufSequence } from './gguf-sequence.js';
import { PAGE_POSITIONS } from './kernel-exports.js';
import { type KvPages, KvSequence } from './kv-pages.js';
import { type CachedPrefix, PageCache } from './page-cache.js';
import { PassQueue } from './pass-queue.js';

/** Maximum number of sequences that decode together. */
const MAX_ROWS = 32;

/** So many sequences are open at a time whatever memory they take; further ones as far as it goes. */
const ALWAYS_OPEN = 8;

export interface GgufTextEngineOptions {
  forward: ForwardPass;
  pages: KvPages;
  tokenizer: TextTokenizer;
  contextLength: number;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
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

  constructor(options: GgufTextEngineOptions) {
    this.tokenizer = options.tokenizer;
    this.contextLength = options.contextLength;
    this.toolFormat = options.toolFormat;
    this.reasoningFormat = options.reasoningFormat;
    this.#pages = options.pages;
    this.#pages.evict = () => this.#cache.evict();
    this.#passes = new PassQueue(options.forward);
    this.#admission = new SequenceAdmission({
      always: ALWAYS_OPEN,
      maxRows: MAX_ROWS,
      maxBytes: prefixCacheBytes(),
      tokenBytes: options.pages.pageBytes / PAGE_POSITIONS,
    });
  }

  async open({ promptTokens, signal, rows = 1, maxTokens, caller }: SequenceRequest): Promise<TextSequence> {
    const place = await this.#admission.enter({ rows, promptTokens: promptTokens.length, maxTokens }, signal);
    const sequence = new GgufSequence({
      prompt: promptTokens,
      kv: this.#cache.take(promptTokens, caller) ?? new KvSequence(this.#pages),
      passes: this.#passes,
      onClose: (ended) => this.#ended({ ...ended, caller }).finally(place.leave),
    });
    place.measure(() => sequence.heldTokens);
    return sequence;
  }

  async #ended(ended: CachedPrefix): Promise<void> {
    this.#cache.keep(ended);
  }
}
