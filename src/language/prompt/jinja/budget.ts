/** Bounds of time and size of one rendering. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Passes through the bodies of loops and macros in one rendering. Conversations of thousands of messages need fewer. */
const MAX_PASSES = 200_000;

/** Items of a list: for more no loop has time. */
const MAX_ITEMS = MAX_PASSES;

/**
 * Milliseconds of one rendering, and more for what it is given. Prompts of a hundred thousand tokens take a small part of one
 * second.
 */
const RENDER_MS = { least: 3_000, perCharacter: 0.02, most: 10_000 };

/** Evaluated expressions, and items that one goes through, between two looks at the clock. */
const CLOCK_INTERVAL = 4_096;

/** Macros and recursive loops within one another. */
const MAX_DEPTH = 200;

/** What a rendering may still use. Each method throws InferenceError `invalid_request` when it is too much. */
export class Budget {
  readonly #maxCharacters: number;
  readonly #deadline: number;
  #passes = 0;
  #untilClock = CLOCK_INTERVAL;
  #depth = 0;
  #written = 0;
  #isLate = false;

  /** @param maxCharacters of any text that the template makes @param given characters that it is given */
  constructor(maxCharacters: number, given = 0) {
    this.#maxCharacters = maxCharacters;
    const { least, perCharacter, most } = RENDER_MS;
    this.#deadline = performance.now() + Math.min(most, least + perCharacter * given);
  }

  /** It was ended because it took too long. */
  get isLate(): boolean {
    return this.#isLate;
  }

  step(): void {
    this.work(1);
  }

  /** @param units expressions, or items that one goes through */
  work(units: number): void {
    this.#untilClock -= units;
    if (this.#untilClock > 0) return;
    this.#untilClock = CLOCK_INTERVAL;
    if (performance.now() <= this.#deadline) return;
    this.#isLate = true;
    throw tooLate();
  }

  pass(): void {
    this.#passes += 1;
    if (this.#passes > MAX_PASSES) throw tooMuch('loop too often');
    this.step();
  }

  /** A text is made that has so many characters. */
  characters(count: number): void {
    if (count > this.#maxCharacters) throw tooMuch('write too much');
  }

  /** So many characters are written, to whatever place. */
  write(count: number): void {
    this.#written += count;
    this.characters(this.#written);
  }

  items(count: number): void {
    if (count > MAX_ITEMS) throw tooMuch('loop too often');
  }

  /** Runs what may call itself. */
  deeper<Result>(run: () => Result): Result {
    if (this.#depth >= MAX_DEPTH) throw tooMuch('call itself too often');
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The error of a rendering that takes too long. */
export function tooLate(): InferenceError {
  return tooMuch('run for too long');
}

function tooMuch(what: string): InferenceError {
  return new InferenceError('invalid_request', `The conversation makes the model's chat template ${what}.`, {
    param: 'messages',
  });
}

/** What Python's `range` gives. @throws InferenceError `invalid_request` for more numbers than a list may have */
export function boundedRange(limits: readonly number[]): number[] {
  const [first = 0, second, step = 1] = limits;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new Error('range() step must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_ITEMS) throw tooMuch('loop too often');
  return Array.from({ length }, (_, index) => start + index * step);
}
