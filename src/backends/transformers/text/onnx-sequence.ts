/** One generation on an ONNX decoder. @module */
import type { TextSequence } from '../../../decoding/text-engine.js';
import { yieldToEventLoop } from '../../../platform/yield-to-event-loop.js';
import { throwIfCancelled } from '../../../errors/inference-error.js';
import type { ForwardPass } from './forward-pass.js';
import type { KeptSequence } from './kept-sequence.js';

/** What the engine gives a sequence and takes back from it. */
export interface OnnxSequenceOptions {
  forward: ForwardPass;
  /** Tokens of the prompt that are read in one run. */
  blockLength: number;
  /** The prompt is read; the array is only valid during the call. */
  onPrompt(logits: Float32Array): void;
  /** The sequence ended; its state now belongs to the engine. */
  onClose(kept: KeptSequence): void;
}

/** Reads a prompt in blocks, then decodes one row or several. */
export class OnnxSequence implements TextSequence {
  readonly cachedTokens: number;
  readonly #prompt: readonly number[];
  readonly #known: Float32Array | undefined;
  readonly #options: OnnxSequenceOptions;
  readonly #tokens: number[];
  #state: KeptSequence['state'];
  /** The one row that was forked, kept for the next prompt. */
  #trunk: KeptSequence | undefined;
  #promptLength: number;
  #length: number;
  #failed = false;
  #closed = false;

  /** @param known logits after the prompt, when `start` already holds all of it */
  constructor(
    prompt: readonly number[],
    start: KeptSequence,
    known: Float32Array | undefined,
    options: OnnxSequenceOptions,
  ) {
    this.cachedTokens = start.tokens.length;
    this.#prompt = prompt;
    this.#known = known;
    this.#options = options;
    this.#tokens = [...start.tokens];
    this.#length = start.tokens.length;
    this.#promptLength = start.promptLength;
    this.#state = start.state;
  }

  async prefill(signal: AbortSignal): Promise<Float32Array> {
    if (this.#known) {
      this.#promptLength = this.#prompt.length;
      return this.#known.slice();
    }
    const { blockLength } = this.#options;
    for (;;) {
      const end = Math.min(this.#prompt.length, (Math.floor(this.#length / blockLength) + 1) * blockLength);
      const [logits] = await this.#run([this.#prompt.slice(this.#length, end)]);
      this.#promptLength = end;
      if (end === this.#prompt.length) {
        this.#options.onPrompt(logits!);
        return logits!;
      }
      await yieldToEventLoop();
      throwIfCancelled(signal);
    }
  }

  async fork(rows: number): Promise<void> {
    if (rows === 1) return;
    this.#trunk = { tokens: this.#tokens, promptLength: this.#promptLength, state: this.#state };
    this.#state = await this.#state.repeat(rows);
  }

  decode(tokens: readonly (readonly number[])[]): Promise<Float32Array[]> {
    return this.#run(tokens);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#trunk) this.#state.dispose();
    const kept = this.#trunk ?? { tokens: this.#tokens, promptLength: this.#promptLength, state: this.#state };
    // After an engine's failure nobody knows what the state holds.
    if (this.#failed) kept.state.dispose();
    else this.#options.onClose(kept);
  }

  async #run(rows: readonly (readonly number[])[]): Promise<Float32Array[]> {
    try {
      const { logits, state } = await this.#options.forward.run(rows, this.#length, this.#state);
      this.#state = state;
      this.#length += rows[0]!.length;
      if (!this.#trunk) this.#tokens.push(...rows[0]!);
      return logits;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }
}
