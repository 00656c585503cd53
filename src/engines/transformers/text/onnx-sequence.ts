/** One generation on an ONNX decoder: prefill in blocks, then decode steps of one row or several. @module */
import type { Speculation, TextSequence } from '../../../language/decoding/text-engine.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { LogitsNeed, TokenLogits } from '../../../language/sampling/token-logits.js';
import type { CachedPrefix } from '../cache/prefix-cache.js';
import type { BatchQueue, Row } from './batch-queue.js';
import type { LogitsRequest } from '../gpu/gpu-logits.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** More tokens are hardly ever drafted at once. */
const MAX_DRAFTED = 256;

/** For blocks of a prompt before the last one. */
const UNREAD: LogitsRequest = { type: 'greatest', count: 1 };

/** What a sequence needs of its engine. */
export interface OnnxSequenceOptions {
  passes: BatchQueue;
  /** Which logits the caller reads. */
  need: LogitsNeed;
  /** Prompt tokens per forward pass. */
  blockLength: number;
  /** A last block of fewer tokens is read together with the one before. */
  shortestBlock: number;
  /** Several tokens may be appended at once to others. */
  blocks: boolean;
  /** Tokens that a sliding window of the model's attention sees; absent: it sees all. */
  window?: number | undefined;
  /** Undefined: the prompt has no images. */
  layout: PromptLayout | undefined;
  /** Called at the end; the state then belongs to the engine. Undefined after a failure of the engine. */
  onClose(prefix: CachedPrefix | undefined): Promise<void>;
}

export class OnnxSequence implements TextSequence {
  readonly cachedTokens: number;
  readonly #prompt: readonly number[];
  readonly #options: OnnxSequenceOptions;
  /** The tokens in the state; for image tokens the keys of their images. */
  readonly #tokens: number[];
  /** Logits after the prompt, once that is read. */
  #promptLogits: TokenLogits | undefined;
  #promptLength: number;
  /** See {@link CachedPrefix}. */
  #exact: number;
  /** The row that read the prompt. After a fork it does not grow and goes to the prefix cache. */
  readonly #promptRow: Row;
  #rows: Row[];
  readonly #speculation: Speculation = {
    isWorthwhile: () => !this.#options.passes.isShared && this.#canRollBack(MAX_DRAFTED),
    canRollBack: (count) => this.#canRollBack(count),
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
    this.#exact = start.exact;
    this.#promptLogits = start.tokens.length === prompt.length ? start.promptLogits : undefined;
    this.#promptRow = { held: start.held, layout: options.layout };
    this.#rows = [this.#promptRow];
  }

  /** Tokens of all its rows. */
  get heldTokens(): number {
    return this.#rows.reduce((sum, { held }) => sum + held.length, 0);
  }

  async prefill(signal: AbortSignal): Promise<TokenLogits> {
    const { blockLength, shortestBlock, passes, layout } = this.#options;
    while (!this.#promptLogits) {
      const length = this.#tokens.length;
      const whole = (Math.floor(length / blockLength) + 1) * blockLength;
      const end = this.#prompt.length - whole < shortestBlock ? this.#prompt.length : whole;
      await layout?.prepare(length, end);
      throwIfCancelled(signal);
      const [logits] = await this.#run([this.#prompt.slice(length, end)], 1, this.#prompt.length - length);
      this.#promptLength = end;
      if (this.#exact === length && length % blockLength === 0 && end <= whole) this.#exact = end;
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
    const [only = []] = tokens;
    if (!this.#options.blocks) for (const token of only.slice(0, -1)) await this.#run([[token]]);
    if (!this.#options.blocks && only.length > 1) return this.decode([only.slice(-1)]);
    const logits = await this.#run(tokens);
    return logits.map(([last]) => last!);
  }

  /** Undefined for states that cannot be rolled back. */
  get speculation(): Speculation | undefined {
    const { state, length } = this.#promptRow.held;
    return this.#options.blocks && state.isCroppable(length) ? this.#speculation : undefined;
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
        : {
            tokens: this.#tokens,
            promptLength: this.#promptLength,
            exact: this.#exact,
            promptLogits: this.#promptLogits,
            held,
          },
    );
  }

  /** @param unread of a prompt, see {@link BatchQueue.run} */
  async #run(tokens: readonly (readonly number[])[], keep = 1, unread?: number): Promise<TokenLogits[][]> {
    try {
      const needs = this.#rows.map((_, row) => this.#needOf(row, tokens[row]!.length, keep, unread));
      const logits = await this.#options.passes.run(this.#rows, tokens, { keep, needs, unread });
      if (this.#rows[0] === this.#promptRow) this.#note(tokens[0]!);
      return logits;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** @param unread see `#run` */
  #needOf(row: number, added: number, keep: number, unread = added): LogitsRequest {
    const { need, blocks } = this.#options;
    if (unread > added) return UNREAD;
    if (need.type !== 'sample') return need;
    const { temperature, topP, minP, random: numbers } = need;
    const position = this.#rows[row]!.held.length + added - this.#prompt.length;
    // With all logits the same prompt need not be read again for another sample; where it can be, a part of it is enough.
    if (position === 0 && !blocks) return { type: 'all' };
    // Right after the prompt a token is sampled for every choice.
    const own = position === 0 ? numbers : [numbers[row]!];
    const random = Array.from({ length: keep }, (_, index) => own.map((each) => each.at(position + 1 + index - keep)));
    return { type: 'sample', settings: { temperature, topP, minP }, random };
  }

  /** Whether so many tokens that come next can be removed again. */
  #canRollBack(count: number): boolean {
    const { state, length } = this.#promptRow.held;
    const { window = Infinity } = this.#options;
    // Whether the cache keeps more than the window shows only once there is more.
    const mayForget = length <= window && length + count > window;
    return !mayForget && state.isCroppable(length);
  }

  #note(tokens: readonly number[]): void {
    const keys = this.#options.layout?.keys ?? [];
    for (const token of tokens) this.#tokens.push(keys[this.#tokens.length] ?? token);
  }
}
