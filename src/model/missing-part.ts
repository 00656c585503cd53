/** Parts of Inpage that are fetched when they are first needed, and cannot be. @module */
import { InferenceError } from '../core/errors/inference-error.js';

/** How browsers say that a module was not fetched; Safari does not name it. */
const UNFETCHED = /(?:dynamically imported module|Importing a module script failed)(?:: (\S+))?/;

/** The error of a module that was not fetched, without its address in the message; undefined: something else failed. */
export function missingPart(thrown: unknown): InferenceError | undefined {
  const found = thrown instanceof TypeError ? UNFETCHED.exec(thrown.message) : null;
  if (!found) return undefined;
  const message = 'A part of Inpage could not be fetched: the network is gone, or another version was deployed.';
  const url = found[1];
  const reason = url === undefined ? message : `${message} ${url}`;
  return new InferenceError('unavailable', message, { reason, ...(url !== undefined && { url }) }, { cause: thrown });
}
