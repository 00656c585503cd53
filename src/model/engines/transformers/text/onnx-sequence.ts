/** One generation on an ONNX decoder. @module */
import type { Speculation, TextSequence } from '../../../decoding/text-engine.js';
import { yieldToEventLoop } from '../../../../core/platform/yield-to-event-loop.js';
import { throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { LogitsNeed, TokenLogits } from '../../../sampling/token-logits.js';
import type { CachedPrefix } from './prefix-cache.js';
import type { BatchQueue, Row } from './batch-queue.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** What the engine gives a sequence and takes back from it. */
export interface OnnxSequenceOptions {
  passes: BatchQueue;
  /** What the caller reads of the logits. */
  need: LogitsNeed;
  /** Tokens of the prompt that are read in one run. */
  blockLength: number;
  /** Where the prompt's images are; absent: it has none. */
  layout: PromptLayout | undefined;
  /** The sequence ended; its state now belongs to the engine. Absent when an engine's failure spoiled it. */
  onClose(kept: CachedPrefix | undefined): Promise<void>;
}

/** Reads a prompt in blocks, then decodes one row or several. */
export class OnnxSequence implements TextSequence {
  readonly cachedTokens: number;
  readonly #prompt: readonly number[];
  readonly #options: OnnxSequenceOptions;
  /** What was read: token ids, and keys of images in their places. */
  readonly #tokens: number[];
  /** Logits after the prompt, once it is read. */
  #promptLogits: TokenLogits | undefined;
  #promptLength: number;
  /** The row of the prompt; with a fork it stays where it is and is kept for the next prompt. */
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

  /** @param start what the prompt continues from; becomes the sequence's */
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

  /** Recurrent states cannot be taken back. */
  get speculation(): Speculation | undefined {
    return this.#promptRow.held.state.isCroppable() ? this.#speculation : undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave?.();
    for (const row of this.#rows) if (row !== this.#promptRow) row.held.state.release();
    const { held } = this.#promptRow;
    // After an engine's failure nobody knows what the state holds.
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
