/** A conversation that fits the model's context: calls one after the other, the oldest turns leaving. @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import { quotaExceeded, TooLong } from './interface-error.js';
import type { TokenCounter } from './token-counter.js';
import { type ChatMessage, sumCosts, type Turn } from './turn.js';

/** What a conversation is about, besides what was said. */
export interface ConversationSettings {
  counter: TokenCounter;
  contextWindow: number;
  /** Tokens that every prompt has besides its turns: those of the offered tools. */
  baseCost: number;
}

/** What a call changes; it counts when the call has succeeded. */
export class Draft {
  readonly #settings: ConversationSettings;
  readonly #onOverflow: () => void;
  turns: Turn[];

  constructor(settings: ConversationSettings, turns: readonly Turn[], onOverflow: () => void) {
    this.#settings = settings;
    this.#onOverflow = onOverflow;
    this.turns = [...turns];
  }

  get messages(): ChatMessage[] {
    return this.turns.map(({ message }) => message);
  }

  /**
   * Adds what is read; the oldest turns make room, but never the system message.
   * @throws QuotaExceededError where it does not fit without them
   */
  async add(messages: readonly ChatMessage[], extraCost = 0): Promise<void> {
    const added = await this.#measured(messages);
    const { baseCost, contextWindow } = this.#settings;
    const kept = this.turns.filter(isSystem);
    const requested = baseCost + sumCosts(kept) + sumCosts(added) + extraCost;
    if (requested > contextWindow) throw quotaExceeded(requested, contextWindow);
    this.#makeRoom(sumCosts(added) + extraCost);
    this.turns.push(...added);
  }

  /** Adds what was answered, which may take the place of any older turn. */
  async answered(message: ChatMessage): Promise<void> {
    const added = await this.#measured([message]);
    this.turns.push(...added);
    this.#makeRoom(0);
  }

  async #measured(messages: readonly ChatMessage[]): Promise<Turn[]> {
    return Promise.all(
      messages.map(async (message) => ({ message, cost: await this.#settings.counter.measure(message) })),
    );
  }

  #makeRoom(needed: number): void {
    const { baseCost, contextWindow } = this.#settings;
    const isFull = (): boolean => baseCost + sumCosts(this.turns) + needed > contextWindow;
    if (!isFull()) return;
    while (isFull()) {
      const oldest = this.turns.findIndex((turn) => !isSystem(turn));
      if (oldest < 0) break;
      this.turns.splice(oldest, 1);
      // What a tool answered is nothing without its call.
      while (this.turns[oldest]?.message.role === 'tool') this.turns.splice(oldest, 1);
    }
    this.#onOverflow();
  }
}

function isSystem({ message }: Turn): boolean {
  return message.role === 'system';
}

export class Conversation {
  readonly settings: ConversationSettings;
  readonly #onOverflow: () => void;
  #turns: readonly Turn[];
  /** Settles when the last call has. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: ConversationSettings, turns: readonly Turn[], onOverflow: () => void) {
    this.settings = settings;
    this.#turns = turns;
    this.#onOverflow = onOverflow;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get usage(): number {
    return this.settings.baseCost + sumCosts(this.#turns);
  }

  /** Runs a call after those before it. What it drafts is kept when it succeeds. */
  async run<Result>(signal: AbortSignal, call: (draft: Draft) => Promise<Result>): Promise<Result> {
    const before = this.#last;
    let finished: () => void = () => {};
    this.#last = new Promise<void>((resolve) => (finished = resolve));
    try {
      await orAborted(before, signal);
      const draft = new Draft(this.settings, this.#turns, this.#onOverflow);
      const result = await orAborted(call(draft), signal);
      this.#turns = draft.turns;
      return result;
    } catch (thrown) {
      if (thrown instanceof TooLong) throw quotaExceeded(this.usage, this.settings.contextWindow);
      throw thrown;
    } finally {
      // Who was aborted while it waited does not let the next one pass those before it.
      void before.then(finished);
    }
  }
}
