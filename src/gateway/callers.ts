/**
 * Requests of plain `fetch` whose callers left before the answer began. Chromium tells a Service Worker of a body that
 * its reader cancels, but of nothing earlier. The page sees in its own resource timings that a request ended without an
 * answer, and says when it had begun; here that is matched with what the Service Worker brought.
 * @module
 */
import type { LeftRequest, RequestSender } from '../relay/protocol.js';

/** Milliseconds by which two realms may read the same clock differently. */
const SKEW = 5;
/** Milliseconds in which a Service Worker that runs has got a page's request. */
const NEAR = 150;
/** Milliseconds for which ended requests and unmatched reports are remembered: reports come a little late. */
const MEMORY = 10_000;

interface Waiting extends RequestSender {
  url: string;
  leave: () => void;
  /** `Date.now` when its answer began; Infinity: not yet. */
  over: number;
}

/** Matches reports with requests. A report that fits several requests is believed once as many reports fit them. */
export class Callers {
  #waiting: Waiting[] = [];
  #reports: LeftRequest[] = [];

  /**
   * A request waits for its answer.
   * @param leave called when its caller turns out to have left
   * @returns to be called when the answer begins, or fails
   */
  enter(sender: RequestSender, url: string, leave: () => void): () => void {
    const waiting: Waiting = { ...sender, url, leave, over: Infinity };
    this.#forgetOld();
    this.#waiting.push(waiting);
    this.#settle();
    return () => {
      waiting.over = Date.now();
      this.#settle();
    };
  }

  /** A page says that it left a request. */
  left(report: LeftRequest): void {
    this.#forgetOld();
    this.#reports.push(report);
    this.#settle();
  }

  #settle(): void {
    for (const report of this.#reports) {
      const fits = this.#fitting(report);
      const believed = this.#reports.filter((other) => {
        const others = this.#fitting(other);
        return others.length > 0 && others.every((waiting) => fits.includes(waiting));
      });
      if (fits.length === 0 || believed.length < fits.length) continue;
      // More reports than that mean requests that were slow to arrive.
      const used = believed.slice(0, fits.length);
      this.#reports = this.#reports.filter((other) => !used.includes(other));
      this.#waiting = this.#waiting.filter((waiting) => !fits.includes(waiting));
      for (const waiting of fits) waiting.leave();
      // Other reports may fit fewer now.
      return this.#settle();
    }
  }

  /**
   * The requests that this report may mean. None that arrived after it was left: a page that leaves a request at once and
   * makes the next one means the first, which its browser may never have sent.
   */
  #fitting({ client, url, started, ended }: LeftRequest): Waiting[] {
    const fits = this.#waiting.filter(
      (waiting) =>
        waiting.client === client && waiting.url === url && waiting.at >= started - SKEW && waiting.at <= ended + SKEW,
    );
    const near = fits.filter(({ at }) => at <= started + NEAR);
    // One that is over and fits best may be meant: it was left just when its answer came.
    return (near.length > 0 ? near : fits).filter(({ over }) => over === Infinity);
  }

  #forgetOld(): void {
    const oldest = Date.now() - MEMORY;
    this.#waiting = this.#waiting.filter(({ over }) => over > oldest);
    this.#reports = this.#reports.filter(({ ended }) => ended > oldest);
  }
}
