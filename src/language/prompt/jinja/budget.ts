/** Bounds of time and size of one rendering. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Passes through the bodies of loops and macros in one rendering. Conversations of thousands of messages need fewer. */
const MAX_PASSES = 200_000;

/** Items of a list: for more no loop has time. */
const MAX_ITEMS = MAX_PASSES;

/** Milliseconds of one rendering. Prompts of a hundred thousand tokens take a small part of one second. */
const MAX_RENDER_MS = 10_000;

/** Evaluated expressions between two looks at the clock. */
const CLOCK_INTERVAL = 4_096;

/** Macros and recursive loops within one another. */
const MAX_DEPTH = 200;

/** What a rendering may still use. Each method throws InferenceError `invalid_request` when it is too much. */
export class Budget {
  readonly #maxCharacters: number;
  readonly #deadline = performance.now() + MAX_RENDER_MS;
  #passes = 0;
  #steps = 0;
  #depth = 0;
  #written = 0;

  /** @param maxCharacters of any text that the template makes */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps % CLOCK_INTERVAL === 0 && performance.now() > this.#deadline) throw tooMuch('run for too long');
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
