import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_MODELS, type ModelEntry } from '../../src/index.js';
import { countingModel } from '../e2e/support/host-page.js';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { ask, openTab } from './chaos-tabs.js';

/** Requests of each kind. */
const REQUESTS = 2_000;

/** Bytes of code and caches that a realm may have more after a round of requests, however many these are. */
const MOST = 100_000;

/** A realm that keeps something of its requests grows in every round; late compilation shows in some. */
const ROUNDS = 3;

/** One for each kind of request, so that none waits for another; the last takes long enough to be left. */
const MODELS = [countingModel(5, 0, 'streamed'), countingModel(5, 0, 'whole'), countingModel(10, 4, 'left')];

let browser: RawChromium;
beforeAll(async () => {
  browser = await RawChromium.launch();
});
afterAll(() => browser.close());

/** Requests of each kind that the page makes for one command, which has to be answered in time. */
const BATCH = 100;

/** So many requests of each kind by plain `fetch`, a few at a time. */
async function load(page: RawPage, requests: number): Promise<void> {
  for (let left = requests; left > 0; left -= BATCH) await loadBatch(page, Math.min(left, BATCH));
}

async function loadBatch(page: RawPage, requests: number): Promise<void> {
  await page.evaluate(`(async () => {
    const chat = (model, stream, signal) => fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }),
      signal,
    });
    const left = async (stream) => {
      const leaving = new AbortController();
      const answer = chat('left', stream, leaving.signal).then((response) => response.text()).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
      leaving.abort();
      await answer;
    };
    const kinds = [
      async () => (await chat('streamed', true)).text(),
      async () => (await chat('whole', false)).text(),
      (index) => left(index % 2 === 0),
    ];
    await Promise.all(kinds.map(async (kind) => {
      for (let index = 0; index < ${requests}; index++) await kind(index);
    }));
    // The engine still answers requests that were left unstreamed: this one waits behind the last of them.
    await (await chat('left', false)).text();
    performance.clearResourceTimings();
  })()`);
}

/** Requests of all kinds in a round of the mixed test. */
const MIXED = 3_000;

const MIXED_MODELS: ModelEntry[] = [
  countingModel(5, 0, 'chat'),
  countingModel(50, 4, 'left'),
  { id: 'embed', task: 'embeddings', backend: 'scripted' },
  { id: 'rank', task: 'rerank', backend: 'scripted' },
  { id: 'ears', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'Good morning.' }] } },
  { id: 'voice', task: 'text-to-speech', backend: 'scripted' },
  { id: 'slow-voice', task: 'text-to-speech', backend: 'scripted', script: { replies: [], tokenDelayMs: 4 } },
  ...DEFAULT_MODELS.filter(({ id }) => id !== 'tiny-whisper'),
];

/** So many requests, each of the next kind, through both doors in turn: all tasks, errors, and some that are left. */
async function loadMixed(page: RawPage, requests: number): Promise<void> {
  for (let left = requests; left > 0; left -= BATCH) await mixedBatch(page, Math.min(left, BATCH));
}

async function mixedBatch(page: RawPage, requests: number): Promise<void> {
  const failed = await page.evaluate<string[]>(`(async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const text = 'One sentence. Another one. And a third.';
    const wave = () => {
      const form = new FormData();
      form.set('model', 'ears');
      form.set('file', new File([new Uint8Array(3200)], 'said.pcm', { type: 'audio/pcm' }));
      return form;
    };
    // Path, body, the status that is right; a true one is left while it is answered.
    const kinds = [
      ['chat/completions', { model: 'chat', messages, stream: true }, 200],
      ['chat/completions', { model: 'chat', messages }, 200],
      ['messages', { model: 'chat', messages, max_tokens: 20, stream: true }, 200],
      ['responses', { model: 'chat', input: 'Hi', stream: true }, 200],
      ['embeddings', { model: 'embed', input: [text, text] }, 200],
      ['rerank', { model: 'rank', query: 'sentence', documents: [text, 'Nothing.'] }, 200],
      ['audio/transcriptions', wave, 200],
      ['audio/speech', { model: 'voice', input: text, voice: 'low', response_format: 'wav' }, 200],
      ['audio/speech', { model: 'slow-voice', input: text, voice: 'low', response_format: 'pcm' }, 200, true],
      ['chat/completions', { model: 'left', messages, stream: true }, 200, true],
      ['chat/completions', { model: 'tiny-chat', messages, max_tokens: 4, stream: true }, 200],
      ['embeddings', { model: 'tiny-embed', input: text }, 200],
      ['chat/completions', { model: 'nobody', messages }, 404],
      ['chat/completions', { model: 'chat' }, 400],
      ['chat/completions', { model: 'chat', messages, response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } }, 200],
    ];
    const failed = [];
    for (let index = 0; index < ${requests}; index += 1) {
      const [path, body, status, isLeft] = kinds[index % kinds.length];
      const send = Math.floor(index / kinds.length) % 2 ? fetch : inference.fetch;
      const leaving = new AbortController();
      const sent = typeof body === 'function' ? body() : JSON.stringify(body);
      const response = await send(inference.baseURL + '/' + path, { method: 'POST', body: sent, signal: leaving.signal });
      if (response.status !== status) failed.push(path + ' ' + response.status + ' ' + (await response.text()));
      else if (!isLeft) await response.arrayBuffer();
      else {
        const reader = response.body.getReader();
        await reader.read();
        leaving.abort();
        await reader.read().catch(() => {});
      }
    }
    performance.clearResourceTimings();
    return failed;
  })()`);
  expect(failed).toEqual([]);
}

/** Milliseconds after which the last deadline of an ended request has passed. */
const SETTLED = 12_000;

/** Bytes by realm; a Service Worker has no name. */
async function heaps(page: RawPage): Promise<Record<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  const sizes: Record<string, number> = { page: await browser.heapOf(page.session) };
  const named = await page.inWorkers(async (inWorker) => {
    const { result } = await browser.send('Runtime.evaluate', { expression: 'self.name' }, inWorker);
    return [(result as { value?: string }).value ?? 'service worker', await browser.heapOf(inWorker)] as const;
  });
  for (const [name, bytes] of named) sizes[name] = Math.max(sizes[name] ?? 0, bytes);
  return sizes;
}

it(
  `no realm keeps anything of ${MIXED} mixed requests`,
  async () => {
    const page = await openTab(browser, {
      models: MIXED_MODELS,
      rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
    });
    await loadMixed(page, MIXED / 2);
    let before = await heaps(page);
    const least: Record<string, number> = {};
    for (let round = 0; round < ROUNDS && (round === 0 || Object.values(least).some((by) => by > MOST)); round++) {
      await loadMixed(page, MIXED);
      const after = await heaps(page);
      for (const [realm, bytes] of Object.entries(after)) {
        const by = bytes - (before[realm] ?? 0);
        console.warn(`${realm}: ${bytes} bytes, grown by ${by} after ${MIXED} mixed requests`);
        least[realm] = Math.min(by, least[realm] ?? Infinity);
      }
      before = after;
    }
    expect(Object.entries(least).filter(([, by]) => by > MOST)).toEqual([]);
  },
  30 * 60_000,
);

it(
  `no realm keeps anything of ${REQUESTS} requests of each kind`,
  async () => {
    const page = await openTab(browser, {
      models: MODELS,
      rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
    });
    // As many before as counted: engines compile what runs often, and keep that.
    await load(page, REQUESTS);
    let before = await heaps(page);
    expect(Object.keys(before).toSorted()).toEqual(['inpage-gateway', 'inpage-model', 'page', 'service worker']);
    const least: Record<string, number> = {};
    for (let round = 0; round < ROUNDS && (round === 0 || Object.values(least).some((by) => by > MOST)); round++) {
      await load(page, REQUESTS);
      const after = await heaps(page);
      for (const [realm, bytes] of Object.entries(after)) {
        const by = bytes - (before[realm] ?? 0);
        console.warn(`${realm}: grown by ${by} bytes after ${3 * REQUESTS} requests`);
        least[realm] = Math.min(by, least[realm] ?? Infinity);
      }
      before = after;
    }
    expect(Object.entries(least).filter(([, by]) => by > MOST)).toEqual([]);
    expect(await ask(page, 'whole')).toMatchObject({ status: 200 });
  },
  30 * 60_000,
);
