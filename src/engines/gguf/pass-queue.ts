/** Runs the forward passes of all open sequences: tokens of answers and pieces of prompts together. @module */
import { DecodingCount } from '../common/decoding-count.js';
import { cancelled, type InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';
import type { AdapterSet } from './adapter-products.js';
import { lostEngine } from './engine-loss.js';
import type { TokenLogits } from '../../language/sampling/token-logits.js';
import { PASS_ROWS } from './forward.js';
import type { Forward, Span, TokenChoice } from './forward-interface.js';
import type { KvSequence } from './kv-pages.js';
import { RunAhead } from './run-ahead.js';

/** Rows of a pass that prompts can count on while answers are written. */
const PROMPT_ROWS = 32;

/** So many pieces of shorter prompts may be read before one that has waited longer. */
const MOST_OVERTAKEN = 8;

/**
 * Turns of the event loop that a pass waits for answers which have not asked for their next token yet. Each of them takes two
 * from a pass to the next: without waiting as long, those that began apart would take turns for ever.
 */
const MOST_TURNS = 4;

/** Tokens that a sequence wants to be read. */
export interface ReadRequest {
  kv: KvSequence;
  tokens: readonly number[];
  /** Logits are wanted after so many tokens at the end; at least 1. */
  keep: number;
  /** Or tokens that are chosen by them, one for each; only where {@link PassQueue.choosesTokens}. */
  choose?: readonly TokenChoice[] | undefined;
  adapters?: AdapterSet | undefined;
  /** The tokens are a prompt, which is read in pieces beside answers. */
  isPrompt?: boolean;
  /** Ends it between two passes, with `cancelled`. */
  signal?: AbortSignal | undefined;
}

interface Work extends ReadRequest {
  /** Tokens that were read. */
  read: number;
  logits: TokenLogits[];
  /** How many passes read pieces of later prompts. */
  overtaken: number;
  resolve: (logits: TokenLogits[]) => void;
  reject: (error: unknown) => void;
}

/**
 * All sequences share each pass, whatever they read: answers their next tokens or drafts, prompts what room is left. Of
 * several prompts the one with the fewest tokens left comes first, so that a short one does not wait for a long one.
 */
export class PassQueue {
  readonly #forward: Forward;
  readonly #ahead: RunAhead;
  readonly #onLost: (error: InferenceError) => void;
  #lost: InferenceError | undefined;
  #waiting: Work[] = [];
  readonly #decoding = new DecodingCount();
  #running = false;

  /** @param onLost is called when a pass fails for another reason than memory: then nothing can be computed any more */
  constructor(forward: Forward, onLost: (error: InferenceError) => void) {
    this.#forward = forward;
    this.#ahead = new RunAhead(forward);
    this.#onLost = onLost;
  }

  /** Whether several sequences decode. */
  get isShared(): boolean {
    return this.#decoding.isShared;
  }

  /** Whether any sequence is read or decodes. */
  get isBusy(): boolean {
    return this.#running || this.#decoding.count > 0;
  }

  /** Tokens can be chosen where logits are. */
  get choosesTokens(): boolean {
    return this.#forward.choosesTokens === true;
  }

  /** Forgets what was read ahead in a sequence, before anyone else changes it. */
  settle(kv: KvSequence): void {
    this.#ahead.forget(kv);
  }

  /** Announces a sequence that will decode. @returns call it when the sequence ends */
  join(): () => void {
    return this.#decoding.join();
  }

  /**
   * Appends tokens to a sequence.
   * @returns the logits after each of the last `keep` tokens, or what was chosen by them
   * @throws InferenceError `cancelled`; `insufficient_resources` when its keys and values have no room. What was read until
   * then is in the sequence. `unavailable` when the engine is lost.
   */
  read(reading: ReadRequest): Promise<TokenLogits[]> {
    if (this.#lost) return Promise.reject(this.#lost);
    if (!this.#ahead.has(reading)) this.#ahead.forget(reading.kv);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...reading, read: 0, logits: [], overtaken: 0, resolve, reject });
      if (!this.#running) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#running = true;
    // A caller that asks in the same turn is in the first pass.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      for (let turn = 0; turn < MOST_TURNS && !this.#isEachWaiting; turn++) await yieldToEventLoop();
      const ahead = this.#ahead.take(this.#waiting);
      const pass = ahead ? ahead.works.map((work) => this.#whole(work)) : this.#next();
      if (pass.length > 0) await this.#run(pass, ahead?.result);
      await yieldToEventLoop();
    }
    this.#running = false;
  }

  /** Each answer that is written has asked for its next token. */
  get #isEachWaiting(): boolean {
    return this.#waiting.filter(({ isPrompt }) => !isPrompt).length >= this.#decoding.count;
  }

  /** @param begun what a pass that was begun ahead gives */
  async #run(pass: readonly PlannedSpan[], begun?: Promise<TokenLogits[][]>): Promise<void> {
    try {
      const missing = begun ? undefined : this.#forward.bring?.(pass);
      // Then the pass is planned anew: others may wait by now, or no longer.
      if (missing) return await missing;
      const running = begun ?? this.#forward.run(pass);
      const isAlone = pass.length === this.#waiting.length && pass.length >= this.#decoding.count;
      if (isAlone) this.#ahead.begin(pass);
      const logits = await running;
      this.#ahead.learn(pass, logits);
      for (const [index, { work, tokens }] of pass.entries()) {
        work.read += tokens.length;
        work.logits.push(...logits[index]!);
        if (work.read === work.tokens.length) this.#end(work, () => work.resolve(work.logits));
      }
    } catch (error) {
      const isMemory = isInferenceError(error);
      const reported = isMemory ? error : this.#lose(error);
      const failed = isMemory ? pass.map(({ work }) => work) : this.#waiting;
      for (const work of failed) this.#end(work, () => work.reject(reported));
    }
  }

  /** All of a step that was read ahead. */
  #whole(work: Work): PlannedSpan {
    const { kv, tokens, keep, choose, adapters } = work;
    return { work, kv, tokens, keep, choose, adapters };
  }

  #lose(cause: unknown): InferenceError {
    this.#lost = lostEngine(cause);
    this.#onLost(this.#lost);
    return this.#lost;
  }

  /** Fills a pass. A caller that is canceled or has no room for its keys and values is ended. */
  #next(): PlannedSpan[] {
    const pass: PlannedSpan[] = [];
    const prompts = this.#waiting.filter(({ isPrompt }) => isPrompt);
    const rows = this.#forward.passRows ?? PASS_ROWS;
    const kept = prompts.length > 0 ? Math.min(PROMPT_ROWS, rows / 2) : 0;
    let room = rows - kept;
    const add = (work: Work): void => {
      const span = room > 0 ? this.#plan(work, room) : undefined;
      if (!span) return;
      pass.push(span);
      room -= span.tokens.length;
    };
    for (const work of this.#waiting) if (!work.isPrompt) add(work);
    room += kept;
    for (const work of inOrder(prompts)) add(work);
    return pass;
  }

  #plan(work: Work, room: number): PlannedSpan | undefined {
    const { kv, tokens, read, keep, choose, adapters, isPrompt, signal } = work;
    const most = Math.min(tokens.length - read, room);
    const end = read + (isPrompt ? kv.untilStop(most) : most);
    try {
      if (signal?.aborted) throw cancelled();
      kv.reserve(end - read);
    } catch (error) {
      this.#end(work, () => work.reject(error));
      return undefined;
    }
    // The tokens with logits are the last ones of all.
    const withLogits = Math.max(0, Math.min(end - read, end - (tokens.length - keep)));
    const chosen = withLogits > 0 ? { choose: choose?.slice(work.logits.length, work.logits.length + withLogits) } : {};
    return { work, kv, tokens: tokens.slice(read, end), keep: withLogits, ...chosen, adapters };
  }

  #end(work: Work, tell: () => void): void {
    this.#waiting = this.#waiting.filter((other) => other !== work);
    tell();
  }
}

interface PlannedSpan extends Span {
  work: Work;
}

/** The one with the least left to read first, or one that others were put before for long. */
function inOrder(prompts: readonly Work[]): readonly Work[] {
  const [first] = prompts;
  if (!first || prompts.length === 1 || first.overtaken >= MOST_OVERTAKEN) return prompts;
  const left = ({ tokens, read }: Work): number => tokens.length - read;
  const sorted = prompts.toSorted((a, b) => left(a) - left(b));
  if (sorted[0] !== first) first.overtaken += 1;
  return sorted;
}
