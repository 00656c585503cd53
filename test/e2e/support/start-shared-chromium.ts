/** Starts the one Chromium of all end-to-end files that need none of their own. */
import { chromium } from 'playwright';
import type { TestProject } from 'vitest/node';
import { CHROMIUM, CHROMIUM_ARGUMENTS, LATE_WASM_TIER_UP } from '../../support/chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where that Chromium listens. */
    sharedChromium: string;
  }
}

/** Its microphone is a tone, and nobody is asked for it. */
const FAKE_MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Vitest's global set-up of the e2e project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({
    ...CHROMIUM,
    args: [...CHROMIUM_ARGUMENTS, `--js-flags=${LATE_WASM_TIER_UP}`, ...FAKE_MICROPHONE],
  });
  project.provide('sharedChromium', server.wsEndpoint());
  return () => server.close();
}
