/** Asks the browser to keep what is stored. Fetched when the first file comes in. @module */
import type { LoadProgress } from '../core/models/model-entry.js';

/** Losing a file of at least so many bytes is worth a question; some browsers put it to the person in front of them. */
const WORTH_ASKING = 16 * 2 ** 20;

let isPersistent: Promise<boolean | undefined> | undefined;
let isAsked = false;

/**
 * Asks the browser once to keep what is stored, when a large file comes in. To be called with each progress. Only pages
 * can ask.
 * @returns whether the browser keeps what is stored also when room gets short; undefined where it does not say. Never
 * rejects.
 */
export function requestPersistence({ bytesPerSecond, totalBytes }: LoadProgress): Promise<boolean | undefined> {
  if (bytesPerSecond !== undefined && totalBytes >= WORTH_ASKING && !isAsked) {
    isAsked = true;
    isPersistent = answered(navigator.storage?.persist?.());
  }
  return (isPersistent ??= answered(navigator.storage?.persisted?.()));
}

async function answered(question: Promise<boolean> | undefined): Promise<boolean | undefined> {
  return question?.catch(() => undefined);
}
