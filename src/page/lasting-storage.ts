/** Asks the browser once to keep what is stored, when a large model comes in. Only pages can ask. @module */
import type { LoadProgress } from '../core/models/model-entry.js';

/** Bytes of a file from which on losing it would be a pity; some browsers ask the person in front of them. */
const WORTH_ASKING = 16 * 2 ** 20;

let answer: Promise<boolean | undefined> | undefined;
let isAsked = false;

/**
 * To be called with each progress.
 * @returns whether the browser keeps what is stored also when room gets short; undefined where it does not say. Never
 * rejects.
 */
export function keepStored({ bytesPerSecond, totalBytes }: LoadProgress): Promise<boolean | undefined> {
  if (bytesPerSecond !== undefined && totalBytes >= WORTH_ASKING && !isAsked) {
    isAsked = true;
    answer = said(navigator.storage?.persist?.());
  }
  return (answer ??= said(navigator.storage?.persisted?.()));
}

async function said(question: Promise<boolean> | undefined): Promise<boolean | undefined> {
  return question?.catch(() => undefined);
}
