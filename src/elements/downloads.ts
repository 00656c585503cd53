/** Downloads that elements of this page have begun: each element on the page can pause them. @module */
import type { ElementInference } from './service-link.js';

/** Why the last attempt failed, by model. */
interface Downloads {
  running: Map<string, { controller: AbortController; ended: Promise<void> }>;
  failures: Map<string, unknown>;
  /** Called after each change. */
  listeners: Set<() => void>;
}

const ofServices = new WeakMap<ElementInference, Downloads>();

/** Those of a service. */
export function downloadsOf(inference: ElementInference): Downloads {
  const known = ofServices.get(inference);
  if (known) return known;
  const made: Downloads = { running: new Map(), failures: new Map(), listeners: new Set() };
  ofServices.set(inference, made);
  return made;
}

/** Fetches a model's files, from where an earlier attempt stopped. Resolves when it has ended, however: failures are kept. */
export function beginDownload(inference: ElementInference, model: string): Promise<void> {
  const downloads = downloadsOf(inference);
  const known = downloads.running.get(model);
  if (known) return known.ended;
  const controller = new AbortController();
  const changed = (): void => {
    for (const listener of downloads.listeners) listener();
  };
  const run = async (): Promise<void> => {
    try {
      await inference.download?.(model, { signal: controller.signal });
    } catch (thrown) {
      if (!controller.signal.aborted) downloads.failures.set(model, thrown);
    } finally {
      downloads.running.delete(model);
      changed();
    }
  };
  downloads.failures.delete(model);
  const ended = run();
  downloads.running.set(model, { controller, ended });
  changed();
  return ended;
}

/** Ends the transfer and keeps what is there. Resolves when it has ended. */
export async function pauseDownload(inference: ElementInference, model: string): Promise<void> {
  const running = downloadsOf(inference).running.get(model);
  running?.controller.abort();
  await running?.ended;
}
