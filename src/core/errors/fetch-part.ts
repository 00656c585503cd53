/** Parts of Inpage that are fetched when they are first needed: asked for twice, and a typed error when they do not come. @module */
import { pause } from '../platform/pause.js';
import { InferenceError } from './inference-error.js';

/** How browsers say that a module was not fetched; Safari does not name it. */
const UNFETCHED = /(?:dynamically imported module|Importing a module script failed)(?:: (\S+))?/;

/** Milliseconds until a part is asked for again: a change of network, a proxy that restarts. */
const BEFORE_RETRY = 500;

/**
 * Loads a part, and once more if it was not fetched the first time: one lost response should not cost a request its answer.
 * @param load imports the module
 * @throws InferenceError `unavailable` when the module cannot be fetched
 */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (thrown) {
    if (!missingPart(thrown)) throw thrown;
  }
  await pause(BEFORE_RETRY);
  try {
    return await load();
  } catch (thrown) {
    throw missingPart(thrown) ?? thrown;
  }
}

/** The error of a module that was not fetched, without its address in the message; undefined: something else failed. */
export function missingPart(thrown: unknown): InferenceError | undefined {
  const found = thrown instanceof TypeError ? UNFETCHED.exec(thrown.message) : null;
  if (!found) return undefined;
  const message =
    'A part of Inpage could not be downloaded. Either the network is down, or another version was deployed.';
  const url = found[1];
  const reason = url === undefined ? message : `${message} ${url}`;
  const details = { retryAfter: 5, reason, ...(url !== undefined && { url }) };
  return new InferenceError('unavailable', message, details, { cause: thrown });
}
