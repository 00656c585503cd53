/**
 * Runs the forward passes of all open sequences, in batches where the graph takes rows of different lengths.
 * @module
 */
import { DecodingCount } from '../../common/decoding-count.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { TokenLogits } from '../../../language/sampling/token-logits.js';
import type { ForwardPass } from './forward-pass.js';
import type { LogitsRequest } from '../gpu/gpu-logits.js';
import { type RowState, SequenceState } from '../cache/sequence-state.js';
import type { PromptLayout } from '../vision/prompt-layout.js';

/** Maximum number of rows of a batch. Measured on CPUs: each further row makes a pass of fewer than these cheaper per row. */
export const MAX_ROWS = 32;

/** Maximum size of the KV cache of a batch, in bytes; longer sequences take turns. */
const MAX_BYTES = 512 * 2 ** 20;

/** So many blocks of shorter prompts may be read before a block that has waited longer. */
const MAX_OVERTAKEN = 8;

/** Rows that are written in place have room for an eighth more tokens and up to 64, and a multiple of 32. */
const SPARE = 1 / 8;
const ROOM_STEP = 32;

/** A row of a sequence. Each forward pass replaces its state, or adds to it. */
export interface Row {
  held: RowState;
  /** Undefined: the prompt has no images. */
  readonly layout?: PromptLayout | undefined;
}

/** What is asked of a pass. */
interface PassOptions {
  /** Logits are wanted for so many tokens at the end of each row, at least 1. */
  keep: number;
  /** Which of them the caller reads, per row. */
  needs: readonly LogitsRequest[];
  /** Tokens of a prompt that are not read yet, these included; undefined: the tokens continue an answer. */
  unread?: number | undefined;
}

interface Pass extends PassOptions {
  rows: readonly Row[];
  /** Per row. */
  tokens: readonly (readonly number[])[];
  /** How many passes with later blocks of prompts went before. */
  overtaken: number;
  resolve: (logits: TokenLogits[][]) => void;
  reject: (error: unknown) => void;
}

/**
 * All sequences which decode one token per row share a batch, whatever their lengths. Between two such passes one block of
 * one prompt is read, so that no one's first token waits for another's last one, and no one's next token for many prompts.
 * Of several prompts, the one with the fewest tokens left comes first: a short one does not wait for a long one, and equal
 * ones are read one after the other.
 */
export class BatchQueue {
  readonly #forward: ForwardPass;
  readonly #ragged: boolean;
  readonly #maxBytes: number;
  readonly #inPlace: boolean;
  readonly #waiting: Pass[] = [];
  /** Work that runs alone, before the next forward pass. */
  readonly #alone: (() => Promise<void>)[] = [];
  readonly #decoding = new DecodingCount();
  #running = false;
  /** The last pass read a block of a prompt. */
  #hasReadPrompt = false;

  /**
   * @param supportsRaggedBatch the graph takes rows of different lengths
   * @param maxBytes maximum size of the KV cache of a batch
   * @param inPlace the graph may write keys and values behind those that it reads, in the same memory
   */
  constructor(
    forward: ForwardPass,
    supportsRaggedBatch: boolean,
    { maxBytes = MAX_BYTES, inPlace = false }: { maxBytes?: number; inPlace?: boolean } = {},
  ) {
    this.#forward = forward;
    this.#ragged = supportsRaggedBatch;
    this.#maxBytes = maxBytes;
    this.#inPlace = inPlace;
  }

  /** Whether several sequences decode. */
  get isShared(): boolean {
    return this.#decoding.isShared;
  }

  /** Whether any sequence is read or decodes. */
  get isBusy(): boolean {
    return this.#running || this.#decoding.count > 0;
  }

  /** Announces a sequence that will decode. @returns call it when the sequence ends */
  join(): () => void {
    return this.#decoding.join();
  }

  /**
   * Appends tokens to the rows.
   * @param tokens per row, all of one length
   * @returns per row the logits after each of its last `keep` tokens
   */
  run(
    rows: readonly Row[],
    tokens: readonly (readonly number[])[],
    { keep, needs, unread }: PassOptions,
  ): Promise<TokenLogits[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows, tokens, keep, needs, unread, overtaken: 0, resolve, reject });
      if (!this.#running) void this.#runAll();
    });
  }

  /** Runs other work of the engine between two forward passes, because its sessions must not run at the same time. */
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
      // Sequences of the last batch ask for their next token one after the other.
      if (this.#waiting.filter((pass) => !this.#isPrompt(pass)).length < this.#decoding.count) await yieldToEventLoop();
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

  /** A block of a prompt. One token is read as cheaply with the answers. */
  #isPrompt(pass: Pass): boolean {
    return pass.unread !== undefined && !this.#canJoin(pass);
  }

  #next(): Pass[] {
    const prompts = this.#waiting.filter((pass) => this.#isPrompt(pass));
    const isPromptsTurn = prompts.length === this.#waiting.length || (prompts.length > 0 && !this.#hasReadPrompt);
    this.#hasReadPrompt = isPromptsTurn;
    if (isPromptsTurn) return [this.#take(nextPrompt(prompts))];
    const first = this.#take(this.#waiting.find((pass) => !this.#isPrompt(pass))!);
    if (!this.#canJoin(first)) return [first];
    const passes = [first];
    for (const pass of this.#waiting.splice(0)) {
      const joins = this.#canJoin(pass) && this.#fit([...passes, pass]);
      (joins ? passes : this.#waiting).push(pass);
    }
    // In the order of their shared state, which then need not be copied.
    return passes.toSorted((a, b) => a.rows[0]!.held.row - b.rows[0]!.held.row);
  }

  #take(pass: Pass): Pass {
    this.#waiting.splice(this.#waiting.indexOf(pass), 1);
    return pass;
  }

  #fit(passes: readonly Pass[]): boolean {
    const held = passes.flatMap(({ rows }) => rows.map((row) => row.held));
    const longest = Math.max(...held.map(({ length }) => length));
    return held.length <= MAX_ROWS && held.length * longest * held[0]!.state.tokenBytes <= this.#maxBytes;
  }

  async #runTogether(passes: readonly Pass[]): Promise<TokenLogits[][]> {
    const rows = passes.flatMap((pass) => pass.rows);
    const tokens = passes.flatMap((pass) => pass.tokens);
    const length = Math.max(...rows.map(({ held }, index) => held.length + tokens[index]!.length));
    const inPlace = this.#inPlace && rows.every(({ held }) => held.state.canBeWritten);
    const shared = this.#sharedState(rows);
    const isReused = shared && (!inPlace || shared.isWritable(rows.length, length));
    const unread = Math.max(...passes.map((pass) => (pass.unread ?? 0) + pass.rows[0]!.held.length));
    const state = isReused
      ? shared
      : await SequenceState.gather(
          rows.map(({ held }) => held),
          inPlace ? roomFor(Math.max(length, unread)) : 0,
        );
    try {
      const reads = rows.map(({ held, layout }, row) => ({ tokens: tokens[row]!, past: held.length, layout }));
      const { keep } = passes[0]!;
      const needs = passes.flatMap((pass) => pass.needs);
      const { logits, state: next } = await this.#forward.run(reads, state, { keep, needs, inPlace });
      for (const [index, row] of rows.entries()) {
        const before = row.held.state;
        row.held = { state: next.hold(), row: index, length: row.held.length + tokens[index]!.length };
        before.release();
      }
      if (next !== state) next.release();
      return logits;
    } finally {
      if (!isReused) state.release();
    }
  }

  /** The state that consists of exactly these rows in this order, if there is one. */
  #sharedState(rows: readonly Row[]): SequenceState | undefined {
    const { state } = rows[0]!.held;
    const isOrdered = rows.every(({ held }, index) => held.state === state && held.row === index);
    // Where all rows must have one length, tokens that were rolled back must be cut off.
    const isWhole = ({ held: { length } }: Row): boolean => length === state.tokens || !state.isCroppable(length);
    const fits = this.#ragged || rows.every(isWhole);
    return isOrdered && state.rows === rows.length && fits ? state : undefined;
  }
}

/** Tokens for which a row gets memory, so that it need not be moved with each further one. */
function roomFor(tokens: number): number {
  return Math.ceil((tokens * (1 + SPARE)) / ROOM_STEP + 1) * ROOM_STEP;
}

/** The one with the least left to read, or the first when others went before it for long. @param prompts at least one */
function nextPrompt(prompts: readonly Pass[]): Pass {
  const [first] = prompts as [Pass];
  if (first.overtaken >= MAX_OVERTAKEN) return first;
  const shortest = prompts.reduce((best, pass) => (pass.unread! < best.unread! ? pass : best));
  if (shortest !== first) first.overtaken += 1;
  return shortest;
}
