/** A thousand files that are indexed while a chat goes on, in a page that is closed in the middle. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { newContext, openHost } from '../e2e/support/host-page.js';

const FILES = 1_000;
/** Of the whole test, on a slow machine. */
const TIMEOUT_MS = 3_600_000;
/** Most that a batch may name. */
const BATCH = 500;
const BYTES = 10_000;
/** Each text is embedded once. */
const CHUNKING = { type: 'static', static: { max_chunk_size_tokens: 250, chunk_overlap_tokens: 0 } };

/** A chat that waited for a whole file would take longer than this many times as long. */
const MOST_SLOWDOWN = 8;

const OPTIONS: InferenceOptions = { rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 } };

let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  browser = await launchChromium();
  context = await newContext(browser);
});
afterAll(() => browser.close());

/** Uploads the files, and gives them to a store. Each has one word that no other has. */
async function begin(page: Page): Promise<string> {
  return page.evaluate(
    async ({ count, bytes, batch, chunking }) => {
      const { fetch: send, baseURL } = window.inference!;
      const post = async (path: string, body: string | FormData): Promise<string> => {
        const response = await send(baseURL + path, { method: 'POST', body });
        if (!response.ok) throw new Error(await response.text());
        return ((await response.json()) as { id: string }).id;
      };
      const words =
        'the ship left its port with tea and salt for people who live behind the mountains of the north '.split(' ');
      let state = 1;
      const word = (): string => words[(state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % words.length]!;
      const ids: string[] = [];
      for (let number = 0; number < count; number += 1) {
        let text = `The number of this paper is QX${number}.\n`;
        while (text.length < bytes) text += `${word()} `;
        const form = new FormData();
        form.set('purpose', 'assistants');
        form.set('file', new File([text.slice(0, bytes)], `${number}.txt`));
        ids.push(await post('/files', form));
      }
      const store = await post('/vector_stores', '{}');
      for (let from = 0; from < count; from += batch) {
        const body = { file_ids: ids.slice(from, from + batch), chunking_strategy: chunking };
        await post(`/vector_stores/${store}/file_batches`, JSON.stringify(body));
      }
      return store;
    },
    { count: FILES, bytes: BYTES, batch: BATCH, chunking: CHUNKING },
  );
}

/** Milliseconds of an answer. */
function chat(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const start = performance.now();
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    const body = JSON.stringify({ model: 'tiny-chat', messages });
    const response = await window.inference!.fetch('/v1/chat/completions', { method: 'POST', body });
    const text = await response.text();
    if (!text.includes('Paris')) throw new Error(text);
    return performance.now() - start;
  });
}

const completed = (page: Page, store: string): Promise<number> =>
  page.evaluate(async (id) => {
    const response = await window.inference!.fetch(`/v1/vector_stores/${id}`);
    const { file_counts: counts } = (await response.json()) as { file_counts: Record<string, number> };
    if (counts['failed'] !== 0) throw new Error(JSON.stringify(counts));
    return counts['completed']!;
  }, store);

/** Name of the file that is found for a number. */
const findNumber = (page: Page, store: string, number: number): Promise<string | undefined> =>
  page.evaluate(
    async ({ id, query }) => {
      const response = await window.inference!.fetch(`/v1/vector_stores/${id}/search`, {
        method: 'POST',
        body: JSON.stringify({ query, max_num_results: 1 }),
      });
      return ((await response.json()) as { data: { filename: string }[] }).data[0]?.filename;
    },
    { id: store, query: `QX${number}` },
  );

/** Milliseconds between an answer and the next question. */
const READING_MS = 1_000;

/** Chats until so many files are indexed. @returns milliseconds of the answers, the fastest first */
async function chatUntil(page: Page, store: string, count: number): Promise<number[]> {
  const times: number[] = [];
  while ((await completed(page, store)) < count) {
    times.push(await chat(page));
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
  }
  return times.toSorted((one, other) => one - other);
}

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)]!;

it(
  `[F05] ${FILES} files are indexed while a chat goes on, and after the page was closed in the middle`,
  async () => {
    const page = await openHost(context, OPTIONS);
    await chat(page);
    const alone = [await chat(page), await chat(page), await chat(page)].toSorted((one, other) => one - other);
    const uploading = performance.now();
    const store = await begin(page);
    const begun = performance.now();
    const before = await chatUntil(page, store, FILES / 2);
    const half = performance.now();
    const kept = await completed(page, store);
    await page.close();
    const later = await openHost(context, OPTIONS);
    const found = await completed(later, store);
    const reopened = performance.now();
    // Nothing is indexed again.
    expect(found).toBeGreaterThanOrEqual(kept);
    expect(found).toBeLessThan(FILES);
    const after = await chatUntil(later, store, FILES);
    const ended = performance.now();
    for (const number of [3, FILES - 3]) expect(await findNumber(later, store, number)).toBe(`${number}.txt`);
    const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);
    console.warn(
      `${FILES} files of ${BYTES} bytes: uploaded in ${seconds(uploading, begun)} s, the first half indexed in ${seconds(begun, half)} s ` +
        `beside ${before.length} answers, the rest in ${seconds(reopened, ended)} s beside ${after.length}; ${kept} indexed when the page was closed, ` +
        `${found} when it was opened again. An answer took ${Math.round(middle(alone))} ms alone, and ${Math.round(middle(before))} and ` +
        `${Math.round(middle(after))} ms meanwhile (at most ${Math.round(Math.max(...before, ...after))}).`,
    );
    expect(middle([...before, ...after].toSorted((a, b) => a - b))).toBeLessThan(middle(alone) * MOST_SLOWDOWN);
  },
  TIMEOUT_MS,
);
