/** The one Chromium of all end-to-end files that need none of their own. */
import { type Browser, type BrowserContext, chromium } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { newContext } from './host-page.js';

/** A connection to it. Closing that closes the contexts made through it, and leaves the process to others. */
export function connectToSharedChromium(): Promise<Browser> {
  return chromium.connect(inject('sharedChromium'));
}

/** Connects before the tests of this file or group, and disconnects after them. @param prepare gets the connection */
export function withBrowser(prepare: (browser: Browser) => unknown): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToSharedChromium();
    await prepare(browser);
  });
  afterAll(() => browser.close());
}

/**
 * Gives each test of this file or group a context of its own.
 * @param prepare gets it before the test
 * @param check runs after the test, when the context is closed
 */
export function withContexts(
  prepare: (context: BrowserContext, browser: Browser) => unknown,
  check?: () => unknown,
): void {
  let browser: Browser;
  let context: BrowserContext;
  withBrowser((connected) => (browser = connected));
  beforeEach(async () => {
    context = await newContext(browser);
    await prepare(context, browser);
  });
  afterEach(async () => {
    await context.close();
    await check?.();
  });
}
