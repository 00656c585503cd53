/** Real Chromium for tests and scripts. */
import { type Browser, chromium } from 'playwright';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../../support/chromium.js';

/** @param args more command-line arguments, e.g. `SWIFTSHADER` */
export function launchChromium(args: string[] = []): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    args: [...CHROMIUM_ARGUMENTS, ...args],
  });
}
