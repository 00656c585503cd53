/** An answer that one engine may begin and another end: what the second one gives again is not taken twice. @module */
import type { TokenEvent } from '../../core/events/token-event.js';
import type { BegunChoice, GenerationRequest } from '../../core/request/generation-request.js';
import { AnswerEvents, type AnswerOptions } from './answer-events.js';
import type { AnswerRecord, SaidTokens } from './answer-record.js';
import type { GenerationEvent } from './generation-event.js';

interface Progress {
  /** Pieces that the engine of now has given. */
  given: number;
  /** Pieces that were taken, of whatever engine. */
  taken: number;
  isOver: boolean;
}

/** A reader of one run, see `scheduler/run-on-slot.ts`. */
export class ContinuedAnswer {
  readonly #events: AnswerEvents;
  readonly #record: AnswerRecord;
  readonly #said: SaidTokens;
  readonly #progress: Progress[];
  #hasPrompt = false;

  constructor(request: GenerationRequest, said: SaidTokens, options: AnswerOptions & { record: AnswerRecord }) {
    const { record, createId } = options;
    this.#record = record;
    this.#said = said;
    this.#events = new AnswerEvents(request, { ...options, createId: () => record.draw('call', createId) });
    this.#progress = Array.from({ length: request.n }, () => ({ given: 0, taken: 0, isOver: false }));
  }

  /** Another engine can go on with it. */
  get canGoOn(): boolean {
    return !this.#record.isLost;
  }

  /** An engine begins. @returns what it must be told of the answer; undefined: nothing, it is the first */
  begin(): BegunChoice[] | undefined {
    for (const progress of this.#progress) progress.given = 0;
    const { choices } = this.#said;
    const isNew = choices.every(({ tokens, ended }) => tokens.length === 0 && !ended);
    return isNew ? undefined : choices.map(({ tokens, ended }) => ({ tokens: [...tokens], ended }));
  }

  take(batch: readonly TokenEvent[]): GenerationEvent[] | undefined {
    return this.#events.take(batch.flatMap((event) => this.#news(event)));
  }

  finish(): GenerationEvent[] {
    return this.#events.finish();
  }

  /** The event, or nothing where an engine before this one gave it. */
  #news(event: TokenEvent): TokenEvent[] {
    if (event.type === 'prompt') {
      if (this.#hasPrompt) return [];
      this.#hasPrompt = true;
      return [{ ...event, cachedTokens: this.#record.draw('cached', () => event.cachedTokens) }];
    }
    if (event.type === 'counts') {
      this.#said.lose();
      return [event];
    }
    const { choice } = event;
    const progress = this.#progress[choice];
    const known = this.#said.choices[choice];
    if (!progress || !known) return [event];
    if (event.type === 'end') {
      if (progress.isOver) return [];
      progress.isOver = true;
      if (!known.ended) this.#said.add(choice);
      return [event];
    }
    progress.given += 1;
    if (progress.given <= progress.taken) return [];
    progress.taken = progress.given;
    if (event.token === undefined) this.#said.lose();
    else if (progress.taken > known.tokens.length) this.#said.add(choice, event.token);
    return [event];
  }
}
