/** Which web pages may be asked about at all, and what those are told that may not use the models. @module */
import { InferenceError } from '../core/errors/inference-error.js';

/** Hosts of this device: what comes from there was not changed on the way. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the models may be used by pages of this origin, when the person allows it. @param origin as the browser tells it */
export function isAskable(origin: string | undefined): origin is string {
  // An opaque one is the text `null`.
  if (!origin?.includes('://')) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** The person has said no. */
export function notAllowed(): InferenceError {
  const message = 'The person who uses this browser does not allow this page to use the models.';
  return new InferenceError('permission_denied', message);
}
