/** How long an idle model stays loaded, where a request says so. @module */

/** Timers take no longer waits; a model that may stay for weeks stays. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** The wish of the last request that had one. It ends with the engine. */
export class KeepAlive {
  readonly #unload: () => void;
  #milliseconds: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #endsAt: number | undefined;

  /** @param unload called when the model has been idle for so long */
  constructor(unload: () => void) {
    this.#unload = unload;
  }

  /**
   * @param milliseconds from the end of the last request on; 0: at once, negative: for good
   * @param isIdle no request uses the model
   */
  set(milliseconds: number, isIdle: boolean): void {
    this.#milliseconds = milliseconds;
    this.used(isIdle);
  }

  /** A request came or went. */
  used(isIdle: boolean): void {
    clearTimeout(this.#timer);
    this.#endsAt = undefined;
    const wait = this.#milliseconds;
    if (!isIdle || wait === undefined || wait < 0 || wait > MAX_WAIT_MS) return;
    this.#endsAt = Date.now() + wait;
    this.#timer = setTimeout(this.#unload, wait);
    // In Node an idle model is no reason to stay.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** The engine is gone. */
  forget(): void {
    this.#milliseconds = undefined;
    this.used(false);
  }

  /**
   * Unix milliseconds at which the model goes unless it is used; `never` where a request wants it to stay; undefined: no one
   * has said anything.
   */
  get expiresAt(): number | 'never' | undefined {
    const wait = this.#milliseconds;
    if (wait === undefined) return undefined;
    if (wait < 0 || wait > MAX_WAIT_MS) return 'never';
    return this.#endsAt ?? Date.now() + wait;
  }
}
