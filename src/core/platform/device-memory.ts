/** How much memory the device has, as far as a browser says so. @module */

/** Gigabytes that devices count as whose browser does not say: all but Chromium's. Those on iPhones end pages above about 1.5. */
const UNKNOWN = { touch: 2, other: 8 };

/** What the page found: workers cannot see what they are touched with. */
let told: number | undefined;

/** Sets what this realm's {@link deviceMemory} returns. */
export function tellDeviceMemory(gigabytes: number | undefined): void {
  told = gigabytes;
}

/**
 * Gigabytes of main memory. Browsers that say it report at most 8, and a power of two below. Others: 2 where the main pointer is a
 * finger, else 8. Never throws.
 */
export function deviceMemory(): number {
  const { navigator, matchMedia } = globalThis as {
    navigator?: { deviceMemory?: number };
    matchMedia?: (query: string) => { matches: boolean };
  };
  const isTouched = matchMedia?.('(pointer: coarse)').matches === true;
  return told ?? navigator?.deviceMemory ?? (isTouched ? UNKNOWN.touch : UNKNOWN.other);
}
