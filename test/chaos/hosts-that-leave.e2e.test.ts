import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { requireNothingLeaked, takeServerLog } from '../e2e/support/host-page.js';
import { ask, block, elsewhere, IS_LONG, isStarted, openTab, ROUNDS, type Seen } from './chaos-tabs.js';

/** Milliseconds after the host left at which the others ask. */
const LATER = IS_LONG ? [0, 500, 2_000, 6_000] : [0, 500];
/** Milliseconds; a busy machine is not measured. */
const SLOWEST = IS_LONG ? 3_000 : Infinity;

let browser: RawChromium;
beforeEach(async () => {
  await takeServerLog();
  browser = await RawChromium.launch();
});
afterEach(async () => {
  await browser.close();
  await requireNothingLeaked();
});

const served = { status: 200, text: expect.stringContaining('w0 w1 w2 w3 w4') as string };

const until = (time: number) => new Promise((resolve) => setTimeout(resolve, time - performance.now()));

/** What the others see when they ask at those times after now. */
async function askLater(others: RawPage[]): Promise<Seen[]> {
  const start = performance.now();
  const seen: Seen[] = [];
  for (const later of LATER) {
    await until(start + later);
    seen.push(...(await Promise.all(others.map((page) => ask(page)))));
  }
  return seen;
}

describe('a hosting tab', () => {
  it(
    'that is left by a link, into the back/forward cache, leaves its place to the next',
    async () => {
      // The first in line hosts; whoever comes back is the last.
      const tabs = [await openTab(browser), await openTab(browser), await openTab(browser)];
      let slowest = 0;
      let kept = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const [host, ...others] = tabs as [RawPage, RawPage, RawPage];
        await host.navigate(elsewhere());
        const seen = await askLater(others);
        expect(seen).toEqual(seen.map(() => expect.objectContaining(served) as Seen));
        slowest = Math.max(slowest, ...seen.map(({ milliseconds }) => milliseconds));
        // The browser may throw a kept page away when it wants the memory.
        if (await host.back()) kept += 1;
        else await isStarted(host);
        expect(await ask(host)).toMatchObject(served);
        expect(await ask(host, 'quick', 'inference.fetch')).toMatchObject(served);
        tabs.push(tabs.shift() as RawPage);
      }
      console.warn(
        `${ROUNDS} hosts left by a link, ${kept} came back as they were; the slowest answer took ${Math.round(slowest)} ms`,
      );
      expect(kept).toBeGreaterThan(0);
      expect(slowest).toBeLessThan(SLOWEST);
    },
    ROUNDS * 60_000,
  );

  it('that is frozen leaves its place, and takes part again when it goes on', async () => {
    const host = await openTab(browser);
    const guest = await openTab(browser);
    await host.setLifecycle('frozen');
    expect(await ask(guest)).toMatchObject(served);
    await host.setLifecycle('active');
    expect(await ask(host)).toMatchObject(served);
    await guest.close();
    expect(await ask(host)).toMatchObject(served);
  });

  it('that answers nobody loses its place, also without a word, and is a guest when it wakes up', async () => {
    const host = await openTab(browser);
    const guest = await openTab(browser);
    await block(host, 15_000);
    // A new Service Worker knows no other way to the engine than through the tabs.
    await browser.stopServiceWorkers(guest);
    expect(await ask(guest)).toMatchObject(served);
    expect(await ask(guest, 'quick', 'inference.fetch')).toMatchObject(served);
    expect(await ask(host)).toMatchObject(served);
    await expect.poll(() => browser.targets('worker')).toHaveLength(2);
  });
});
