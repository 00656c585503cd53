import type { BrowserContext } from 'playwright';
import { describe, expect, it } from 'vitest';
import { ask, countingModel, openHost, startStream, streamEnd } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const MODELS = { models: [countingModel(5, 0, 'quick'), countingModel(50, 10, 'long')] };

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

describe('inference.faults', () => {
  it.each([408, 429, 500, 503] as const)('makes the next request answer %i, and only that one', async (status) => {
    const page = await openHost(context, MODELS);
    await page.evaluate((rehearsed) => window.inference?.faults.set({ fail: { status: rehearsed } }), status);
    expect((await ask(page, 'quick')).status).toBe(status);
    expect((await ask(page, 'quick')).status).toBe(200);
  });

  it('cuts a stream, and is off after clear', async () => {
    const page = await openHost(context, MODELS);
    await page.evaluate(() => window.inference?.faults.set({ cutStreamAfterEvents: 20 }));
    await startStream(page, 'long');
    expect((await streamEnd(page)).error).toBeDefined();
    await page.evaluate(() => window.inference?.faults.clear());
    const whole = await ask(page, 'long');
    expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('w49') as string]);
  });
});
