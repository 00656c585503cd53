import { afterAll, beforeAll, expect, it } from 'vitest';
import { countingModel } from '../e2e/support/host-page.js';
import { RawChromium } from '../support/raw-chromium.js';
import { ask, openTab } from './chaos-tabs.js';

/** An answer of a minute: nobody waits for more than one of them. */
const MODELS = { models: [countingModel(5, 0, 'quick'), countingModel(600, 100, 'slow')] };

let browser: RawChromium;
beforeAll(async () => {
  browser = await RawChromium.launch();
});
afterAll(() => browser.close());

it.each(['one after the other', 'all at once'] as const)(
  '[S25] requests of plain fetch that do not stream and are left, %s, free the engine',
  async (order) => {
    const page = await openTab(browser, MODELS);
    const ends = await page.evaluate(`(async () => {
      // What has not even reached the engine when it is left is another matter.
      const atWork = async (requests) => {
        for (;;) {
          const { state, queued } = inference.status()[1];
          if (queued + (state === 'busy' ? 1 : 0) >= requests) return;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const leave = async (requests) => {
        const leaving = new AbortController();
        const answer = fetch('/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Hi' }] }),
          signal: leaving.signal,
        }).then((response) => response.status, (error) => error.name);
        await atWork(requests);
        leaving.abort();
        return answer;
      };
      if (${order === 'all at once'}) return Promise.all(Array.from({ length: 10 }, () => leave(10)));
      const ends = [];
      for (let index = 0; index < 10; index++) ends.push(await leave(1));
      return ends;
    })()`);
    expect(ends).toEqual(Array.from({ length: 10 }, () => 'AbortError'));
    await expect
      .poll(() => page.evaluate(`(({ state, queued }) => [state, queued])(inference.status()[1])`))
      .toEqual(['ready', 0]);
    expect(await ask(page)).toMatchObject({ status: 200 });
    await page.close();
  },
);
