/** What a response that is stored costs. */
import type { Browser, Page } from 'playwright';
import { type BenchRow, compare } from './bench-row.js';
import { processorTimes, secondsBetween } from './processor-seconds.js';
import type { AskOften } from './state.js';

const REQUESTS = 300;

/** In processor time of all the browser's processes: some of the work is done in the one that has the database. */
export async function stateRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  const open = async (store: boolean): Promise<Page> => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${origin}/test/bench/state.html?store=${store}`);
    await page.waitForFunction(() => 'bench' in window);
    return page;
  };
  const [stored, plain] = [await open(true), await open(false)];
  const milliseconds = async (page: Page): Promise<number> => {
    const before = processorTimes();
    await page.evaluate((requests) => (window as unknown as { bench: AskOften }).bench(requests), REQUESTS);
    return (1000 * secondsBetween(before, processorTimes())) / REQUESTS;
  };
  const row = {
    name: 'a response that is stored over one that is not: processor time',
    goal: 2,
    unit: 'ms',
    lower: true,
  };
  const result = await compare(
    row,
    () => milliseconds(stored),
    () => milliseconds(plain),
  );
  await Promise.all([stored, plain].map((page) => page.context().close()));
  return [result];
}
