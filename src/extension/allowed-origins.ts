/** What the extension's own contexts do with the decisions about web pages. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { type AllowedOrigin, listDecisions, writeDecision } from './consent-store.js';
import { isOfExtension, requireExtension } from './web-extension.js';

/**
 * The origins of which the person has said whether they may use the models. For the background and pages of the extension.
 * @throws InferenceError `permission_denied` in content scripts
 */
export async function allowedOrigins(): Promise<AllowedOrigin[]> {
  requireOwnContext('allowedOrigins');
  return listDecisions();
}

/**
 * Forgets what was said of an origin: its streams end with an error event, its other requests with 403, and the person is asked
 * at its next `connectInference`. For the background and pages of the extension.
 * @throws InferenceError `permission_denied` in content scripts
 */
export async function revokeOrigin(origin: string): Promise<void> {
  requireOwnContext('revokeOrigin');
  await writeDecision(origin, undefined);
}

/** @throws InferenceError `permission_denied` in content scripts, `unavailable` outside an extension */
export function requireOwnContext(name: string): void {
  if (isOfExtension(requireExtension(), globalThis.location?.origin)) return;
  throw new InferenceError('permission_denied', `Only the background and pages of the extension may call \`${name}\`.`);
}
