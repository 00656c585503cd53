/** Speculative decoding: drafts of the next tokens are read along with the chosen ones, and accepted if chosen. @module */
import type { TokenEvent } from '../../core/events/token-event.js';
import type { TokenLogits } from '../sampling/token-logits.js';
import type { Choice } from './choice.js';
import { NgramDrafter } from './ngram-drafter.js';
import type { Speculation, TextSequence } from './text-engine.js';

export interface SpeculativeDecoderOptions {
  sequence: TextSequence;
  speculation: Speculation;
  /** The only choice of its sequence. */
  choice: Choice;
  promptTokens: readonly number[];
  vocabularySize: number;
  /** Maximum number of tokens of the choice. */
  cap: number;
}

/**
 * Decodes one choice. The answer is the same as without drafts: each token is chosen from its own logits, and a draft
 * only decides whether these are known already. Drafted tokens that were not chosen are rolled back.
 */
export class SpeculativeDecoder {
  readonly #options: SpeculativeDecoderOptions;
  readonly #drafter: NgramDrafter;
  #generated = 0;
  /** Drafted tokens that were read and not accepted yet, and the logits after each. */
  #draft: number[] = [];
  #logits: TokenLogits[] = [];
  /** How many tokens of the last draft came from the drafter. */
  #drafted = 0;

  constructor(options: SpeculativeDecoderOptions) {
    this.#options = options;
    this.#drafter = new NgramDrafter(options.promptTokens, options.vocabularySize);
  }

  /** Takes the chosen tokens out of the events of a step. */
  observe(events: readonly TokenEvent[]): void {
    for (const event of events) {
      if (event.type !== 'piece' || event.token === undefined) continue;
      this.#generated += 1;
      this.#drafter.push(event.token);
    }
  }

  /** Accepts drafted tokens. @returns the logits after all pending tokens when all were drafted, else undefined */
  accept(): TokenLogits | undefined {
    const { choice } = this.#options;
    let logits: TokenLogits | undefined;
    while (choice.pending.length > 0 && choice.pending[0] === this.#draft[0]) {
      choice.pending.shift();
      this.#draft.shift();
      logits = this.#logits.shift();
    }
    if (choice.pending.length === 0 && logits) return logits;
    this.rollBack();
    return undefined;
  }

  /** Reads the pending tokens of the choice, and a draft with them. @returns the logits after the pending ones */
  async decode(): Promise<TokenLogits> {
    const { sequence, speculation, choice } = this.#options;
    const { pending } = choice;
    this.#draft = speculation.isWorthwhile() ? this.#nextDraft() : [];
    if (this.#draft.length === 0) {
      const [logits] = await sequence.decode([pending]);
      return logits!;
    }
    const [logits, ...drafted] = await speculation.score([...pending, ...this.#draft], this.#draft.length + 1);
    this.#logits = drafted;
    return logits!;
  }

  /** Drops the drafted tokens that were not accepted. */
  rollBack(): void {
    const rejected = this.#logits.length;
    if (rejected > 0) this.#options.speculation.rollBack(rejected);
    if (this.#drafted > 0) this.#drafter.learn(this.#drafted - rejected, this.#drafted);
    this.#draft = [];
    this.#logits = [];
    this.#drafted = 0;
  }

  #nextDraft(): number[] {
    const { choice, cap } = this.#options;
    const limit = cap - this.#generated;
    // Tokens that a grammar makes likely are nearly always accepted, which tells the drafter nothing about the text.
    const likely = choice.likely.slice(0, limit);
    if (likely.length > 0) return likely;
    const draft = this.#drafter.draft(limit);
    this.#drafted = draft.length;
    return draft;
  }
}
