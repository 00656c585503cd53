/**
 * What an answer is made of besides its request: the tokens that were chosen, and whatever came by chance or from
 * the clock. With it another engine or host can continue the answer and produce the same bytes.
 * @module
 */
import type { BegunChoice } from '../../core/request/generation-request.js';
import type { ReplayedKind, ResumeCheckpoint } from '../../core/events/resume-checkpoint.js';

/** Stands for the end of a choice among its tokens. */
const END = -1;

type Value = string | number;

/** What one answer can be resumed with; several generations may belong to it, one after the other. */
export class ResumeState {
  /** What its reader has already: events, and keep-alives that came after the first of them. */
  readonly delivered = { events: 0, keepAlives: 0 };
  /** Another host has begun it. */
  readonly isContinued: boolean;
  /** Values of the previous host, by kind, that were not replayed yet. */
  readonly #earlier = new Map<ReplayedKind, Value[]>();
  readonly #runs: BegunChoice[][] = [];
  #begun = 0;
  /** Values and tokens since the last checkpoint. */
  #news: Pick<ResumeCheckpoint, 'values' | 'tokens'> = { values: [], tokens: [] };
  #isResumable = true;
  #hasEvents: boolean;

  /** @param earlier of all chunks that its reader has, in their order */
  constructor(earlier: readonly ResumeCheckpoint[] = []) {
    this.isContinued = earlier.length > 0;
    for (const { events, keepAlives, values, tokens } of earlier) {
      this.delivered.events += events;
      this.delivered.keepAlives += keepAlives;
      for (const [kind, value] of values) {
        const known = this.#earlier.get(kind);
        if (known) known.push(value);
        else this.#earlier.set(kind, [value]);
      }
      for (const [run, choice, token] of tokens) note(this.#runOf(run, choice + 1)[choice]!, token);
    }
    this.#hasEvents = this.delivered.events > 0;
  }

  /** A new value, or the one that stood here when the answer was begun elsewhere. Each kind has its own order. */
  replay<Drawn extends Value>(kind: ReplayedKind, make: () => Drawn): Drawn {
    const known = this.#earlier.get(kind)?.shift();
    if (known !== undefined) return known as Drawn;
    const value = make();
    this.#news.values.push([kind, value]);
    return value;
  }

  /** What is known of the answer's next generation. @param choices how many it has */
  beginGeneration(choices: number): ChosenTokens {
    const run = this.#begun++;
    const known = this.#runOf(run, choices);
    return {
      choices: known,
      add: (choice, token = END) => {
        note(known[choice]!, token);
        this.#news.tokens.push([run, choice, token]);
      },
      markUnresumable: () => (this.#isResumable = false),
    };
  }

  /** The last generation was begun in vain, and nothing of it was given: the next one begins in its place. */
  takeBack(): void {
    this.#begun -= 1;
    const { values } = this.#news;
    const model = values.findLastIndex(([kind]) => kind === 'model');
    if (model !== -1) values.splice(model, 1);
  }

  /** Another engine or host can continue the answer. */
  get isResumable(): boolean {
    return this.#isResumable;
  }

  /**
   * The checkpoint of the stream's next chunk; undefined: the answer cannot be resumed after it.
   * @param holds how many events are in the chunk, and keep-alives besides them
   */
  nextCheckpoint(holds: Pick<ResumeCheckpoint, 'events' | 'keepAlives'>): ResumeCheckpoint | undefined {
    this.#hasEvents ||= holds.events > 0;
    const keepAlives = this.#hasEvents ? holds.keepAlives : 0;
    const news = this.#news;
    this.#news = { values: [], tokens: [] };
    return this.#isResumable ? { events: holds.events, keepAlives, ...news } : undefined;
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
  /** The engine gives no token ids, so no one can continue the answer. */
  markUnresumable(): void;
}

function note(choice: BegunChoice, token: number): void {
  if (token === END) choice.ended = true;
  else choice.tokens.push(token);
}

/** The checkpoint of chunks that come as one; undefined: the answer cannot be resumed after them. */
export function mergedCheckpoint(checkpoints: readonly (ResumeCheckpoint | undefined)[]): ResumeCheckpoint | undefined {
  const whole: ResumeCheckpoint = { events: 0, keepAlives: 0, values: [], tokens: [] };
  for (const checkpoint of checkpoints) {
    if (!checkpoint) return undefined;
    whole.events += checkpoint.events;
    whole.keepAlives += checkpoint.keepAlives;
    whole.values.push(...checkpoint.values);
    whole.tokens.push(...checkpoint.tokens);
  }
  return whole;
}
