/**
 * Passes that are begun before the tokens of the pass before are read: where tokens are chosen where logits are, the next pass
 * needs nobody. It is of use when all who wrote go on with what was chosen.
 * @module
 */
import type { TokenLogits } from '../../language/sampling/token-logits.js';
import type { Forward, Span, TokenChoice } from './forward-interface.js';
import type { KvSequence } from './kv-pages.js';

/** Passes after one that was of no use before the next is tried. */
const PAUSE = 8;

/** What a sequence wants to be read. */
interface Reading {
  kv: KvSequence;
  tokens: readonly number[];
  choose?: readonly TokenChoice[] | undefined;
}

/** A sequence in a pass that was begun. */
interface Step {
  kv: KvSequence;
  /** Its positions before the pass. */
  length: number;
  /** The token that it reads; undefined: it is not known yet. */
  token: number | undefined;
  /** Nobody wants it any more. */
  isGone: boolean;
}

interface Flight {
  steps: Step[];
  result: Promise<TokenLogits[][]>;
}

export class RunAhead {
  readonly #forward: Forward;
  #flight: Flight | undefined;
  /** The pass whose tokens the flight reads. */
  #before: readonly Span[] | undefined;
  #pause = 0;

  constructor(forward: Forward) {
    this.#forward = forward;
  }

  /** Begins the pass behind one that was submitted, where each of its spans is one token that chooses the next. */
  begin(pass: readonly Span[]): void {
    const { choosesTokens, readsAhead = true, contextLength = Infinity } = this.#forward;
    const isStep = ({ tokens, choose, kv }: Span): boolean =>
      tokens.length === 1 && choose?.length === 1 && kv.length + 1 < contextLength;
    if (!choosesTokens || !readsAhead || this.#flight || !pass.every(isStep)) return;
    if (this.#pause > 0) {
      this.#pause -= 1;
      return;
    }
    // A recurrent state goes back to copies alone: what is given up goes back to here.
    for (const { kv } of pass) kv.keepState();
    const steps = pass.map(({ kv }): Step => ({ kv, length: kv.length, token: undefined, isGone: false }));
    const result = Promise.resolve(this.#forward.run(pass.map((span) => ({ ...span, isFollowing: true }))));
    // Whoever takes it is told; nobody may.
    result.catch(() => {});
    this.#flight = { steps, result };
    this.#before = pass;
  }

  /** The tokens of a pass are known. */
  learn(pass: readonly Span[], chosen: readonly TokenLogits[][]): void {
    if (this.#before !== pass) return;
    for (const [index, step] of this.#flight!.steps.entries()) {
      const [logits] = chosen[index]!;
      step.token = logits && 'sampled' in logits ? logits.sampled[0] : undefined;
    }
  }

  /** Whether this was read ahead. */
  has(reading: Reading): boolean {
    return this.#flight?.steps.some((step) => isStepOf(step, reading)) ?? false;
  }

  /** A sequence goes on otherwise: what was read ahead in it never was. */
  forget(kv: KvSequence): void {
    const step = this.#flight?.steps.find((each) => each.kv === kv && !each.isGone);
    if (!step) return;
    step.isGone = true;
    kv.truncate(step.length);
  }

  /**
   * What was begun, where all who are in it want it, and nobody else waits; else it is given up.
   * @returns the works in the order of its rows
   */
  take<Work extends Reading>(waiting: readonly Work[]): { works: Work[]; result: Flight['result'] } | undefined {
    const flight = this.#flight;
    if (!flight) return undefined;
    this.#flight = undefined;
    this.#before = undefined;
    const works = flight.steps.map((step) => waiting.find((work) => isStepOf(step, work)));
    const isWanted = works.every((work) => work !== undefined) && works.length === waiting.length;
    if (isWanted) return { works, result: flight.result };
    for (const step of flight.steps) if (!step.isGone) step.kv.truncate(step.length);
    this.#pause = PAUSE;
    return undefined;
  }
}

const isStepOf = ({ kv, token, isGone }: Step, { kv: wanted, tokens, choose }: Reading): boolean =>
  !isGone && kv === wanted && choose !== undefined && tokens.length === 1 && tokens[0] === token;
