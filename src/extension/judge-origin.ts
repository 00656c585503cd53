/** Which web pages may be asked about at all. @module */

/** Hosts of this device: what comes from there was not changed on the way. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the models may be used by pages of this origin, when the person allows it. @param origin as the browser tells it */
export function isAskable(origin: string | undefined): origin is string {
  // An opaque one is the text `null`.
  if (!origin?.includes('://')) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
