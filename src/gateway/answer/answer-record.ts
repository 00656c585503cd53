/**
 * What an answer is made of besides its request: the tokens that were chosen, and whatever was drawn by chance or taken from
 * the clock. With it another engine or host can continue the answer and produce the same bytes.
 * @module
 */
import type { BegunChoice } from '../../core/request/generation-request.js';
import type { DrawnKind, StreamMark } from '../../core/events/stream-mark.js';

/** Stands for the end of a choice among its tokens. */
const END = -1;

type Value = string | number;

/** The record of one answer; several generations may belong to it, one after the other. */
export class AnswerRecord {
  /** What its reader has already: events, and keep-alives that came after the first of them. */
  readonly delivered = { events: 0, keepAlives: 0 };
  /** Another host has begun it. */
  readonly isContinued: boolean;
  /** What the host before drew, by kind, as far as it was not drawn again. */
  readonly #earlier = new Map<DrawnKind, Value[]>();
  readonly #runs: BegunChoice[][] = [];
  #begun = 0;
  /** What was drawn and chosen since the last mark. */
  #news: Pick<StreamMark, 'drawn' | 'said'> = { drawn: [], said: [] };
  /** Those of the chunks that were written and not read yet. */
  readonly #marks: (StreamMark | undefined)[] = [];
  #canContinue = true;
  #hasEvents: boolean;

  /** @param earlier of all chunks that its reader has, in their order */
  constructor(earlier: readonly StreamMark[] = []) {
    this.isContinued = earlier.length > 0;
    for (const { events, keepAlives, drawn, said } of earlier) {
      this.delivered.events += events;
      this.delivered.keepAlives += keepAlives;
      for (const [kind, value] of drawn) {
        const values = this.#earlier.get(kind);
        if (values) values.push(value);
        else this.#earlier.set(kind, [value]);
      }
      for (const [run, choice, token] of said) note(this.#runOf(run, choice + 1)[choice]!, token);
    }
    this.#hasEvents = this.delivered.events > 0;
  }

  /** A new value, or the one that stood here when the answer was begun elsewhere. Each kind has its own order. */
  draw<Drawn extends Value>(kind: DrawnKind, make: () => Drawn): Drawn {
    const known = this.#earlier.get(kind)?.shift();
    if (known !== undefined) return known as Drawn;
    const value = make();
    this.#news.drawn.push([kind, value]);
    return value;
  }

  /** What is known of the answer's next generation. @param choices how many it has */
  begin(choices: number): ChosenTokens {
    const run = this.#begun++;
    const known = this.#runOf(run, choices);
    return {
      choices: known,
      add: (choice, token = END) => {
        note(known[choice]!, token);
        this.#news.said.push([run, choice, token]);
      },
      giveUp: () => (this.#canContinue = false),
    };
  }

  /** Another engine or host can continue the answer. */
  get canContinue(): boolean {
    return this.#canContinue;
  }

  /** A chunk was written that holds so many of the stream's events. @param keepAlives that are not among them */
  wrote(events: number, keepAlives = 0): void {
    this.#hasEvents ||= events > 0;
    const mark = { events, keepAlives: this.#hasEvents ? keepAlives : 0, ...this.#news };
    this.#marks.push(this.#canContinue ? mark : undefined);
    this.#news = { drawn: [], said: [] };
  }

  /** The mark of the next chunk that is read; undefined: the answer cannot go on after it. */
  nextMark(): StreamMark | undefined {
    return this.#marks.shift();
  }

  #runOf(run: number, choices: number): BegunChoice[] {
    const known = (this.#runs[run] ??= []);
    while (known.length < choices) known.push({ tokens: [], ended: false });
    return known;
  }
}

/** The tokens of one generation. */
export interface ChosenTokens {
  /** So far. */
  readonly choices: readonly BegunChoice[];
  /** @param token absent: the choice has ended */
  add(choice: number, token?: number): void;
  /** The engine gives no token ids, so nobody can continue the answer. */
  giveUp(): void;
}

function note(choice: BegunChoice, token: number): void {
  if (token === END) choice.ended = true;
  else choice.tokens.push(token);
}

/** The mark of chunks that come as one; undefined: the answer cannot go on after them. */
export function mergedMark(marks: readonly (StreamMark | undefined)[]): StreamMark | undefined {
  const whole: StreamMark = { events: 0, keepAlives: 0, drawn: [], said: [] };
  for (const mark of marks) {
    if (!mark) return undefined;
    whole.events += mark.events;
    whole.keepAlives += mark.keepAlives;
    whole.drawn.push(...mark.drawn);
    whole.said.push(...mark.said);
  }
  return whole;
}
