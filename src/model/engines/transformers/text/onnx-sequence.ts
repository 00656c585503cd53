/** One generation on an ONNX decoder: prefill in blocks, then decode steps of one row or several. @module */
import type { Speculation, TextSequence } from '../../../decoding/text-engine.js';
import { yieldToEventLoop } from '../../../../core/platform/yield-to-event-loop.js';
import { throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { LogitsNeed, TokenLogits } from '../../../sampling/token-logits.js';
import type { CachedPrefix } from './prefix-cache.js';
import type { BatchQueue, Row } from './batch-queue.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** What a sequence needs of its engine. */
export interface OnnxSequenceOptions {
  passes: BatchQueue;
  /** Which logits the caller reads. */
  need: LogitsNeed;
  /** Prompt tokens per forward pass. */
  blockLength: number;
  /** Absent: the prompt has no images. */
  layout: PromptLayout | undefined;
  /** Called at the end; the state then belongs to the engine. Undefined after a failure of the engine. */
  onClose(kept: CachedPrefix | undefined): Promise<void>;
}

export class OnnxSequence implements TextSequence {
  readonly cachedTokens: number;
  readonly #prompt: readonly number[];
  readonly #options: OnnxSequenceOptions;
  /** The tokens in the state; at the places of images their keys. */
  readonly #tokens: number[];
  /** Logits after the prompt, once that is read. */
  #promptLogits: TokenLogits | undefined;
  #promptLength: number;
  /** The row that read the prompt. After a fork it does not grow and goes to the prefix cache. */
  readonly #promptRow: Row;
  #rows: Row[];
  readonly #speculation: Speculation = {
    isWorthwhile: () => !this.#options.passes.isShared,
    score: async (tokens, count) => (await this.#run([tokens], count))[0]!,
    rollBack: (count) => {
      const { held } = this.#promptRow;
      this.#tokens.length -= count;
      this.#promptRow.held = { ...held, length: held.length - count };
    },
  };
  #leave: (() => void) | undefined;
  #failed = false;
  #closed = false;

  /** @param start the cached prefix that the prompt continues; belongs to the sequence from now on */
  constructor(prompt: readonly number[], start: CachedPrefix, options: OnnxSequenceOptions) {
    this.cachedTokens = start.tokens.length;
    this.#prompt = prompt;
    this.#options = options;
    this.#tokens = [...start.tokens];
    this.#promptLength = start.promptLength;
    this.#promptLogits = start.tokens.length === prompt.length ? start.promptLogits : undefined;
    this.#promptRow = { held: start.held, layout: options.layout };
    this.#rows = [this.#promptRow];
  }

  async prefill(signal: AbortSignal): Promise<TokenLogits> {
    const { blockLength, passes, layout } = this.#options;
    while (!this.#promptLogits) {
      const length = this.#tokens.length;
      const end = Math.min(this.#prompt.length, (Math.floor(length / blockLength) + 1) * blockLength);
      await layout?.prepare(length, end);
      throwIfCancelled(signal);
      const [logits] = await this.#run([this.#prompt.slice(length, end)]);
      this.#promptLength = end;
      if (end === this.#prompt.length) {
        this.#promptLogits = logits![0]!;
        break;
      }
      await yieldToEventLoop();
      throwIfCancelled(signal);
    }
    this.#promptLength = this.#prompt.length;
    this.#leave = passes.join();
    return this.#promptLogits instanceof Float32Array ? this.#promptLogits.slice() : this.#promptLogits;
  }

  async fork(rows: number): Promise<void> {
    if (rows === 1) return;
    const { held, layout } = this.#promptRow;
    this.#rows = Array.from({ length: rows }, () => ({ held: { ...held, state: held.state.hold() }, layout }));
  }

  async decode(tokens: readonly (readonly number[])[]): Promise<TokenLogits[]> {
    const logits = await this.#run(tokens);
    return logits.map(([last]) => last!);
  }

  /** Undefined for recurrent states, which cannot be rolled back. */
  get speculation(): Speculation | undefined {
    return this.#promptRow.held.state.isCroppable() ? this.#speculation : undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave?.();
    for (const row of this.#rows) if (row !== this.#promptRow) row.held.state.release();
    const { held } = this.#promptRow;
    // After a failure of the engine the content of the state is unknown.
    if (this.#failed) held.state.release();
    await this.#options.onClose(
      this.#failed
        ? undefined
        : { tokens: this.#tokens, promptLength: this.#promptLength, promptLogits: this.#promptLogits, held },
    );
  }

  async #run(tokens: readonly (readonly number[])[], keep = 1): Promise<TokenLogits[][]> {
    try {
      const logits = await this.#options.passes.run(this.#rows, tokens, keep, this.#options.need);
      if (this.#rows[0] === this.#promptRow) this.#note(tokens[0]!);
      return logits;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  #note(tokens: readonly number[]): void {
    const keys = this.#options.layout?.keys ?? [];
    for (const token of tokens) this.#tokens.push(keys[this.#tokens.length] ?? token);
  }
}
