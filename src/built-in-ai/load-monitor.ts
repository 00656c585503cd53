/** What `create` tells its `monitor` while a model is loaded. @module */

/** Shares of a download are told in these steps, so that they tell nothing of the bytes. */
const STEPS = 65_536;

/** An event target with `ondownloadprogress`, and the shares that it is told. */
export class LoadMonitor extends EventTarget {
  ondownloadprogress: ((event: Event) => void) | null = null;
  #told = -1;

  constructor() {
    super();
    this.addEventListener('downloadprogress', (event) => this.ondownloadprogress?.(event));
  }

  /** @param share what was loaded, 0 to 1; one that is not more than the last is not told */
  tell(share: number): void {
    const loaded = Math.floor(share * STEPS);
    if (loaded <= this.#told) return;
    this.#told = loaded;
    const event = { loaded: loaded / STEPS, total: 1, lengthComputable: true };
    this.dispatchEvent(new ProgressEvent('downloadprogress', event));
  }

  /** While the model is not there yet, the whole is never told. */
  tellPart(loaded: number, total: number): void {
    if (total > 0) this.tell(Math.min(loaded / total, 1 - 1 / STEPS));
  }
}

/** @throws what `monitor` throws */
export function startMonitor(monitor: unknown): LoadMonitor | undefined {
  if (monitor === undefined) return undefined;
  if (typeof monitor !== 'function') throw new TypeError('`monitor` must be a function.');
  const target = new LoadMonitor();
  (monitor as (target: EventTarget) => void)(target);
  return target;
}
