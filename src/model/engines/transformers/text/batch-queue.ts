/** Runs the passes of all open sequences on the one session, together where the graph can. @module */
import { yieldToEventLoop } from '../../../../core/platform/yield-to-event-loop.js';
import type { LogitsNeed, TokenLogits } from '../../../sampling/token-logits.js';
import type { ForwardPass } from './forward-pass.js';
import { type RowState, SequenceState } from './sequence-state.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** Most rows of one pass. */
export const MOST_ROWS = 8;

/** Bytes of keys and values that one pass may hold; longer sequences take turns. */
const MOST_BYTES = 512 * 2 ** 20;

/** A row of a sequence. Passes replace what it holds. */
export interface Row {
  held: RowState;
  /** Of its prompt; absent: it has no images. */
  readonly layout?: PromptLayout | undefined;
}

interface Pass {
  rows: readonly Row[];
  /** Per row. */
  tokens: readonly (readonly number[])[];
  /** How many tokens at the end of each row get their logits. */
  keep: number;
  need: LogitsNeed;
  resolve: (logits: TokenLogits[][]) => void;
  reject: (error: unknown) => void;
}

/**
 * First come, first served, but what reads one token per row goes together with all others that do: their sequences may
 * have any lengths. So blocks of a new prompt and tokens of the running answers take turns.
 */
export class BatchQueue {
  readonly #forward: ForwardPass;
  readonly #ragged: boolean;
  readonly #mostBytes: number;
  readonly #waiting: Pass[] = [];
  /** What runs by itself, before the next pass. */
  readonly #alone: (() => Promise<void>)[] = [];
  #decoding = 0;
  #running = false;

  /**
   * @param ragged the graph takes rows of different lengths
   * @param mostBytes of keys and values in one pass
   */
  constructor(forward: ForwardPass, ragged: boolean, mostBytes = MOST_BYTES) {
    this.#forward = forward;
    this.#ragged = ragged;
    this.#mostBytes = mostBytes;
  }

  /** Several sequences decode. */
  get isShared(): boolean {
    return this.#decoding > 1;
  }

  /** A sequence has read its prompt and will decode. Returns what to call when it does no more. */
  join(): () => void {
    this.#decoding += 1;
    let joined = true;
    return () => {
      if (joined) this.#decoding -= 1;
      joined = false;
    };
  }

  /**
   * Reads tokens after what the rows hold, and lets them hold more.
   * @param tokens per row, all of one length
   * @param keep at least 1
   * @param need what is read of the logits
   * @returns per row the logits after each of its last `keep` tokens
   */
  run(
    rows: readonly Row[],
    tokens: readonly (readonly number[])[],
    keep: number,
    need: LogitsNeed,
  ): Promise<TokenLogits[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows, tokens, keep, need, resolve, reject });
      if (!this.#running) void this.#runAll();
    });
  }

  /** Runs other work of the engine between two passes: its sessions do not run at the same time. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#alone.push(() => work().then(resolve, reject));
      if (!this.#running) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0 || this.#alone.length > 0) {
      const work = this.#alone.shift();
      if (work) {
        await work();
        continue;
      }
      // Answers that run together ask for their next token one after the other.
      if (this.#waiting.length < this.#decoding && this.#canJoin(this.#waiting[0]!)) await yieldToEventLoop();
      const passes = this.#next();
      try {
        const logits = await this.#runTogether(passes);
        for (const pass of passes) pass.resolve(logits.splice(0, pass.rows.length));
      } catch (error) {
        for (const pass of passes) pass.reject(error);
      }
    }
    this.#running = false;
  }

  #canJoin({ tokens, keep }: Pass): boolean {
    return this.#ragged && keep === 1 && tokens.every((row) => row.length === 1);
  }

  #next(): Pass[] {
    const first = this.#waiting.shift()!;
    if (!this.#canJoin(first)) return [first];
    const passes = [first];
    for (const pass of this.#waiting.splice(0)) {
      const joins = this.#canJoin(pass) && this.#fit([...passes, pass]);
      (joins ? passes : this.#waiting).push(pass);
    }
    // In the order of the state that they share already, which then need not be copied.
    return passes.toSorted((a, b) => a.rows[0]!.held.row - b.rows[0]!.held.row);
  }

  #fit(passes: readonly Pass[]): boolean {
    const held = passes.flatMap(({ rows }) => rows.map((row) => row.held));
    const longest = Math.max(...held.map(({ length }) => length));
    return held.length <= MOST_ROWS && held.length * longest * held[0]!.state.tokenBytes <= this.#mostBytes;
  }

  async #runTogether(passes: readonly Pass[]): Promise<TokenLogits[][]> {
    const rows = passes.flatMap((pass) => pass.rows);
    const tokens = passes.flatMap((pass) => pass.tokens);
    const shared = this.#sharedState(rows);
    const state = shared ?? (await SequenceState.gather(rows.map(({ held }) => held)));
    try {
      const reads = rows.map(({ held, layout }, row) => ({ tokens: tokens[row]!, past: held.length, layout }));
      const { logits, state: next } = await this.#forward.run(reads, state, passes[0]!.keep, commonNeed(passes));
      for (const [place, row] of rows.entries()) {
        row.held.state.release();
        row.held = { state: next.hold(), row: place, length: row.held.length + tokens[place]!.length };
      }
      next.release();
      return logits;
    } finally {
      if (!shared) state.release();
    }
  }

  /** The state that holds these rows in this order and nothing else. */
  #sharedState(rows: readonly Row[]): SequenceState | undefined {
    const { state } = rows[0]!.held;
    const isOrdered = rows.every(({ held }, place) => held.state === state && held.row === place);
    // Where rows cannot end before the state does, what was taken back must be cut off.
    const fits = this.#ragged || rows.every(({ held }) => state.tokens === 0 || held.length === state.tokens);
    return isOrdered && state.rows === rows.length && fits ? state : undefined;
  }
}

/** What serves all of them: as many of the greatest logits as one needs, or all. */
function commonNeed(passes: readonly Pass[]): LogitsNeed {
  const counts = passes.map(({ need }) => (need.type === 'greatest' ? need.count : Infinity));
  const count = Math.max(...counts);
  return count === Infinity ? { type: 'all' } : { type: 'greatest', count };
}
