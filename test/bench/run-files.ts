/** What indexing and searching files costs beside the embedding alone. */
import type { Browser, Page } from 'playwright';
import { type BenchRow, compare } from './bench-row.js';
import type { FileBench } from './files.js';

/** 2 MB of text in 100 files. */
const INDEXED = { files: 100, bytes: 20_000, chunkTokens: 250 };

/** 10,000 chunks. */
const SEARCHED = { files: 100, bytes: 60_000, chunkTokens: 100, chunks: 10_000 };

const call = <Name extends keyof FileBench>(
  page: Page,
  name: Name,
  ...values: Parameters<FileBench[Name]>
): Promise<Awaited<ReturnType<FileBench[Name]>>> =>
  page.evaluate(
    ([method, given]) => {
      const { bench } = window as unknown as { bench: Record<string, (...all: unknown[]) => unknown> };
      return bench[method]!(...given) as Awaited<ReturnType<FileBench[Name]>>;
    },
    [name, values] as const,
  );

export async function fileRows(browser: Browser, origin: string): Promise<BenchRow[]> {
  return [await indexingRow(browser, origin), await rankingRow(browser, origin), await reloadRow(browser, origin)];
}

async function open(browser: Browser, origin: string, query: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => process.stderr.write(`files: ${error.message}\n`));
  await page.goto(`${origin}/test/bench/files.html${query}`);
  await page.waitForFunction(() => 'bench' in window);
  return page;
}

async function indexingRow(browser: Browser, origin: string): Promise<BenchRow> {
  const page = await open(browser, origin, '?embedder=tiny-embed');
  await call(page, 'upload', INDEXED.files, INDEXED.bytes);
  const megabytes = (INDEXED.files * INDEXED.bytes) / 1e6;
  const rate = async (time: Promise<number>): Promise<number> => megabytes / ((await time) / 1000);
  const indexed = (): Promise<number> => rate(call(page, 'index', INDEXED.chunkTokens));
  await indexed();
  await call(page, 'readChunks');
  const row = { name: 'files: indexing over embedding the same chunks', goal: 0.85, unit: 'MB/s' };
  const result = await compare(row, indexed, () => rate(call(page, 'embed')), 3);
  await page.context().close();
  return result;
}

async function rankingRow(browser: Browser, origin: string): Promise<BenchRow> {
  const page = await open(browser, origin, '');
  const { ours, plain } = await call(page, 'rank', SEARCHED.chunks);
  await page.context().close();
  const name = 'files: search in 10,000 chunks of 384 numbers over the plain loop';
  return { name, ours, peer: plain, ratio: ours - plain, goal: 30, unit: 'ms', lower: true };
}

/** The first search after a reload, over a warm one and reading the indexes. */
async function reloadRow(browser: Browser, origin: string): Promise<BenchRow> {
  const page = await open(browser, origin, '');
  await call(page, 'upload', SEARCHED.files, SEARCHED.bytes);
  await call(page, 'index', SEARCHED.chunkTokens);
  const row = { name: 'files: first search after a reload over a warm one and the reading', goal: 3, unit: 'x' };
  const result = await compare(
    { ...row, lower: true },
    async () => {
      await page.reload();
      await page.waitForFunction(() => 'bench' in window);
      return call(page, 'search');
    },
    async () => {
      await call(page, 'search');
      return (await call(page, 'search')) + (await call(page, 'readBytes'));
    },
  );
  await page.context().close();
  return result;
}
