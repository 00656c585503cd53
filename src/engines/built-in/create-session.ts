/** What the browser's interfaces for models have in common: how one is found, waited for and made. @module */
import type { LoadOptions } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { pause } from '../../core/platform/pause.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';

/** What the browser says of its model. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** What every `create` takes. */
export interface CreateOptions {
  signal: AbortSignal;
  monitor?: (monitor: EventTarget) => void;
}

interface CreateSessionOptions extends Pick<LoadOptions, 'onProgress'> {
  entry: ModelEntry;
  availability: Availability;
  signal: AbortSignal;
}

/** Milliseconds in which a browser that wants a gesture first has said so. */
const REFUSAL = 100;

/** Makes the first session, for which the browser downloads its model where it has to. */
export async function createSession<Session extends { destroy(): void }>(
  create: (settings: CreateOptions) => Promise<Session>,
  { entry, availability, signal, onProgress }: CreateSessionOptions,
): Promise<Session> {
  const isThere = availability === 'available';
  const report = (loaded = 0, total = 1): void => {
    // Early versions tell bytes, later ones a share of 1.
    const totalBytes = total > 0 ? total : 1;
    const stage = isThere || loaded >= totalBytes ? 'initialize' : 'download';
    onProgress({ model: entry.id, loadedBytes: loaded, totalBytes, stage });
  };
  const monitor = (target: EventTarget): void =>
    target.addEventListener('downloadprogress', (event) => {
      const { loaded, total } = event as ProgressEvent;
      report(loaded, total);
    });
  const created = create({ signal, ...(!isThere && { monitor }) });
  const settled = new AbortController();
  // A caller that waits learns that there is a download, also where the browser tells nothing before its end.
  void pause(REFUSAL, AbortSignal.any([signal, settled.signal])).then(() => {
    if (!settled.signal.aborted && !signal.aborted) report();
  });
  try {
    return await orAborted(created, signal);
  } catch (thrown) {
    created.then((session) => session.destroy()).catch(() => {});
    throw thrown;
  } finally {
    settled.abort();
  }
}

/** The browser's own, and no script's: a polyfill, or what stands in for it in a test. */
function isNative(factory: object): boolean {
  return /\[native code\]\s*\}$/.test(Function.prototype.toString.call(Reflect.get(factory, 'create')));
}

/** What `status()` says of a model, with what is said of one that a script put there. */
export function warningOf(name: string, factory: object, warning: string): string {
  return isNative(factory)
    ? warning
    : `\`${name}\` is not the browser's own: a script installed it before Inpage was imported. If it sends requests for this model to Inpage, the model waits for itself. ${warning}`;
}
