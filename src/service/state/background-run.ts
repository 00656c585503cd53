/** Responses that are made while no one waits: what came of them so far, for those who ask. @module */

/** An event with its number, from 0 by ones. */
export interface NumberedEvent {
  readonly type: string;
  readonly sequence_number: number;
}

/** What is made again when its engine is lost. */
export interface BackgroundJob {
  /** The request's body. */
  json: Readonly<Record<string, unknown>>;
  /** How often it was begun. */
  starts: number;
}

/** One response on its way. Its events can be followed by any number of readers, from any number on. */
export class BackgroundRun {
  /** Its client has asked for a stream. */
  readonly isStreamed: boolean;
  /** Ends the generation. */
  readonly abort = new AbortController();
  /** Resolves when nothing of it is under way any more. */
  readonly done: Promise<void>;
  /** The response so far. */
  readonly snapshot: () => object;
  readonly #events: NumberedEvent[] = [];
  #ended = false;
  #finish = (): void => {};
  /** Those who wait for the next event. */
  readonly #waiting = new Set<() => void>();

  constructor(isStreamed: boolean, snapshot: () => object) {
    this.isStreamed = isStreamed;
    this.snapshot = snapshot;
    this.done = new Promise((resolve) => (this.#finish = resolve));
  }

  get ended(): boolean {
    return this.#ended;
  }

  get hasBegun(): boolean {
    return this.#events.length > 0;
  }

  add(events: readonly NumberedEvent[]): void {
    this.#events.push(...events);
    this.#tell();
  }

  end(): void {
    this.#ended = true;
    this.#tell();
    this.#finish();
  }

  /** Ends it before it is finished. Resolves when the engine is free. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.done;
  }

  /** Its events from this number on, as they come. */
  async *follow(from: number): AsyncGenerator<readonly NumberedEvent[], void, undefined> {
    for (let next = from; ;) {
      const news = this.#events.slice(next);
      next += news.length;
      if (news.length > 0) yield news;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
