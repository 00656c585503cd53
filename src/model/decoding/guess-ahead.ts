/** Reads guessed tokens along with the chosen ones, so that those that come true need no pass of their own. @module */
import type { TokenEvent } from '../../core/events/token-event.js';
import type { TokenLogits } from '../sampling/token-logits.js';
import type { Choice } from './choice.js';
import type { Lookahead, TextSequence } from './text-engine.js';
import { TokenGuesser } from './token-guesser.js';

export interface GuessAheadOptions {
  sequence: TextSequence;
  lookahead: Lookahead;
  /** The only one of its sequence. */
  choice: Choice;
  promptTokens: readonly number[];
  vocabularySize: number;
  /** Most tokens of the choice. */
  cap: number;
  /** Called for every token that is read and stays. */
  onDecode: () => void;
}

/**
 * Reads for one choice. What the model says is never changed: each token is chosen from its own logits, and a guess only
 * decides whether these are known already. Guesses that do not come true are taken back.
 */
export class GuessAhead {
  readonly #options: GuessAheadOptions;
  readonly #guesser: TokenGuesser;
  #said = 0;
  /** What was read and has not come true yet, and the logits after each. */
  #guesses: number[] = [];
  #known: TokenLogits[] = [];
  /** How many guesses were read that came from what was said before. */
  #guessed = 0;

  constructor(options: GuessAheadOptions) {
    this.#options = options;
    this.#guesser = new TokenGuesser(options.promptTokens, options.vocabularySize);
  }

  /** Takes note of what was said. */
  hear(events: readonly TokenEvent[]): void {
    for (const event of events) {
      if (event.type !== 'piece' || event.token === undefined) continue;
      this.#said += 1;
      this.#guesser.push(event.token);
    }
  }

  /** The logits after all that the choice has pending, when that was guessed and so is read already. */
  confirm(): TokenLogits | undefined {
    const { choice, onDecode } = this.#options;
    let logits: TokenLogits | undefined;
    while (choice.pending.length > 0 && choice.pending[0] === this.#guesses[0]) {
      choice.pending.shift();
      this.#guesses.shift();
      logits = this.#known.shift();
      onDecode();
    }
    if (choice.pending.length === 0 && logits) return logits;
    this.settle();
    return undefined;
  }

  /** Reads what the choice has pending and returns the logits after it. */
  async read(): Promise<TokenLogits> {
    const { sequence, lookahead, choice, onDecode } = this.#options;
    const { pending } = choice;
    pending.forEach(onDecode);
    this.#guesses = lookahead.pays() ? this.#guess() : [];
    if (this.#guesses.length === 0) {
      const [logits] = await sequence.decode([pending]);
      return logits!;
    }
    const count = this.#guesses.length + 1;
    const [logits, ...known] = await lookahead.read([...pending, ...this.#guesses], count);
    this.#known = known;
    return logits!;
  }

  /** Takes back what did not come true. */
  settle(): void {
    const wrong = this.#known.length;
    if (wrong > 0) this.#options.lookahead.takeBack(wrong);
    if (this.#guessed > 0) this.#guesser.learn(this.#guessed - wrong, this.#guessed);
    this.#guesses = [];
    this.#known = [];
    this.#guessed = 0;
  }

  #guess(): number[] {
    const { choice, cap } = this.#options;
    const limit = cap - this.#said;
    // What a grammar expects comes nearly always, which says nothing of the text.
    const likely = choice.likely.slice(0, limit);
    if (likely.length > 0) return likely;
    const guesses = this.#guesser.guess(limit);
    this.#guessed = guesses.length;
    return guesses;
  }
}
