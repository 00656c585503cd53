/** Memory and disk of many turns of a chain, when all the room for stored responses is used up. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { countingModel } from '../e2e/support/host-page.js';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { openTab } from './chaos-tabs.js';

const TURNS = 500;
const BOUND = 512_000;

/** Bytes that a realm, or the disk, may have more after another 500 turns. */
const MOST_MEMORY = 500_000;
/** The browser's database writes a journal, and tidies it up when it has grown to some megabytes. */
const MOST_DISK = 12e6;

const OPTIONS: InferenceOptions = {
  models: [{ ...countingModel(20, 0), contextLength: 1_000_000 }],
  rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
};

let browser: RawChromium;
beforeAll(async () => {
  browser = await RawChromium.launch();
});
afterAll(() => browser.close());

/** So many turns, each following the last one; a chain that has filled all the room is begun anew. */
async function turns(page: RawPage, count: number): Promise<{ stored: number; most: number }> {
  const total = { stored: 0, most: 0 };
  // For one command, which has to be answered in time.
  const batch = 100;
  for (let done = 0; done < count; done += batch) {
    const { stored, most } = await page.evaluate<typeof total>(`(async () => {
      let stored = 0;
      let most = 0;
      for (let turn = 0; turn < ${batch}; turn += 1) {
        const body = { model: 'counting', input: 'What comes next?', previous_response_id: window.previous };
        const response = await inference.fetch('/v1/responses', { method: 'POST', body: JSON.stringify(body) });
        const answer = await response.json();
        if (!response.ok) throw new Error(JSON.stringify(answer));
        window.previous = answer.store ? answer.id : undefined;
        stored += answer.store;
        if (turn % 20 === 0) most = Math.max(most, (await inference.storedResponses()).bytes);
      }
      return { stored, most };
    })()`);
    total.stored += stored;
    total.most = Math.max(total.most, most);
  }
  return total;
}

const diskOf = (page: RawPage): Promise<number> =>
  page.evaluate<number>(`navigator.storage.estimate().then(({ usageDetails }) => usageDetails.indexedDB)`);

async function heapsOf(page: RawPage): Promise<number> {
  const workers = await page.inWorkers((session) => browser.heapOf(session));
  return [await browser.heapOf(page.session), ...workers].reduce((sum, bytes) => sum + bytes, 0);
}

it(`memory and disk are flat at the bound after ${TURNS} turns of a chain`, async () => {
  const page = await openTab(browser, { ...OPTIONS, storeResponses: BOUND });
  await turns(page, TURNS);
  const [memory, disk] = [await heapsOf(page), await diskOf(page)];
  const { stored, most } = await turns(page, TURNS);
  const [grownMemory, grownDisk] = [(await heapsOf(page)) - memory, (await diskOf(page)) - disk];
  console.warn(
    `turns ${TURNS} to ${2 * TURNS}: ${stored} stored, at most ${most} bytes of ${BOUND}; memory ${memory} bytes, ` +
      `grown by ${grownMemory}; disk ${disk} bytes, grown by ${grownDisk}`,
  );
  expect(stored).toBeGreaterThan(TURNS * 0.9);
  expect(most).toBeLessThanOrEqual(BOUND);
  expect(most).toBeGreaterThan(BOUND / 2);
  expect(grownMemory).toBeLessThan(MOST_MEMORY);
  expect(disk + grownDisk).toBeLessThan(MOST_DISK);
  await page.close();
});
