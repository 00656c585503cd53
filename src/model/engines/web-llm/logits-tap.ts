/** Takes the logits out of WebLLM: its logit processors see them between the forward pass and its own sampler. @module */
import type { LogitProcessor } from '@mlc-ai/web-llm';

/** A logit processor that keeps what it sees. In place only where somebody reads the logits, see {@link OwnSampler}. */
export class LogitsTap implements LogitProcessor {
  #logits = new Float32Array();

  /** Of the last forward pass. Valid until the next one. */
  get logits(): Float32Array {
    return this.#logits;
  }

  /**
   * Copies, and gives WebLLM's sampler an easy task: what it draws is thrown away, but it must draw something, and some
   * logits (a model that overflowed) would make it fail before we see the cause.
   */
  processLogits(logits: Float32Array): Float32Array {
    if (this.#logits.length !== logits.length) this.#logits = new Float32Array(logits.length);
    this.#logits.set(logits);
    logits.fill(0);
    logits[0] = 100;
    return logits;
  }

  processSampledToken(): void {}

  resetState(): void {}
}
