/** Finds stop sequences in text that comes in pieces. @module */
import { partialMatchLength } from '../families/parsing/text-matching.js';

/** What is certain after a piece of text. */
interface StopSequenceResult {
  /** Text that lies before any stop sequence, whatever comes next. */
  text: string;
  /** The sequence that ended the text. Nothing may be pushed afterwards. */
  matched?: string;
  /** With it: the sequence itself, and what came after it. */
  swallowed?: string;
}

/**
 * Holds back text that may still become a stop sequence. Of several, the one that is complete first wins; of those that
 * end together, the longest. The result is the same for every way of cutting the text.
 */
export class StopSequences {
  readonly #sequences: readonly string[];
  #held = '';

  /** @param sequences empty strings are ignored */
  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== '');
  }

  push(text: string): StopSequenceResult {
    if (this.#sequences.length === 0) return { text };
    const whole = this.#held + text;
    const match = firstMatch(whole, this.#sequences);
    if (match) {
      this.#held = '';
      return { text: whole.slice(0, match.start), matched: match.sequence, swallowed: whole.slice(match.start) };
    }
    const certain = whole.length - partialMatchLength(whole, this.#sequences);
    this.#held = whole.slice(certain);
    return { text: whole.slice(0, certain) };
  }

  /** What pushing this text would find, if it is the end of the text. Changes nothing. */
  peek(text: string): Required<StopSequenceResult> | undefined {
    if (this.#sequences.length === 0 || text === '') return undefined;
    const whole = this.#held + text;
    const match = firstMatch(whole, this.#sequences);
    return match && { text: whole.slice(0, match.start), matched: match.sequence, swallowed: whole.slice(match.start) };
  }

  /** No more text will come: gives out what was held back. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function firstMatch(text: string, sequences: readonly string[]): { start: number; sequence: string } | undefined {
  let best: { start: number; sequence: string } | undefined;
  let bestEnd = Infinity;
  for (const sequence of sequences) {
    const start = text.indexOf(sequence);
    if (start < 0) continue;
    const end = start + sequence.length;
    if (end < bestEnd || (end === bestEnd && best && start < best.start)) {
      best = { start, sequence };
      bestEnd = end;
    }
  }
  return best;
}
