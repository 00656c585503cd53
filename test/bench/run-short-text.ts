/** One short text per request to `/v1/embeddings`, the whole way from the page, beside the bare pipeline in a worker of a page. */
import type { Browser, Page } from 'playwright';
import { type BenchRow, compare, median } from './bench-row.js';
import { processorTimes, secondsBetween } from './processor-seconds.js';
import type { EmbedOften } from './short-text.js';

const REQUESTS = 100;

/** By the clock, and in processor time of all the browser's processes where the system tells it. */
export async function shortTextRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  const pages = new Map<string, Page>();
  for (const by of ['fetch', 'inference', 'pipeline']) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${origin}/test/bench/short-text.html?by=${by}`);
    await page.waitForFunction(() => 'bench' in window);
    pages.set(by, page);
  }
  const spent = new Map<string, number[]>([...pages.keys()].map((by) => [by, []]));
  const timed = (by: string) => async (): Promise<number> => {
    const before = processorTimes();
    const clock = await pages
      .get(by)!
      .evaluate((requests) => (window as unknown as { bench: EmbedOften }).bench(requests), REQUESTS);
    spent.get(by)!.push((1000 * secondsBetween(before, processorTimes())) / REQUESTS);
    return clock;
  };
  const rows: BenchRow[] = [];
  for (const [by, way] of [
    ['fetch', 'fetch'],
    ['inference', 'inference.fetch'],
  ] as const) {
    const row = { name: `embeddings: a short text, ${way}, over the pipeline`, goal: 2, unit: 'ms', lower: true };
    for (const list of spent.values()) list.length = 0;
    rows.push(await compare(row, timed(by), timed('pipeline')));
    // Without the round that warms up.
    const [ours, peer] = [by, 'pipeline'].map((side) => median(spent.get(side)!.slice(1))) as [number, number];
    if (peer > 0) rows.push({ ...row, name: `${row.name}: processor time`, ours, peer, ratio: ours - peer });
  }
  await Promise.all([...pages.values()].map((page) => page.context().close()));
  return rows;
}
