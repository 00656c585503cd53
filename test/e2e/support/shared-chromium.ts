/** The one Chromium of all end-to-end files that need none of their own. */
import { type Browser, chromium } from 'playwright';
import { inject } from 'vitest';

/** A connection to it. Closing that closes the contexts made through it, and leaves the process to others. */
export function connectToSharedChromium(): Promise<Browser> {
  return chromium.connect(inject('sharedChromium'));
}
