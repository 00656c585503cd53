/** What is stored of responses, in Chromium: after reloads, in several tabs, and when the hosting tab is closed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../support/chromium.js';
import { countingModel, openHost, started, stateOf } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((own) => (context = own));

const HOSTED: InferenceOptions = { compatibility: 'hosted', models: [countingModel(3, 0)] };
/** Nobody sees its end: it lasts an hour. */
const ENDLESS: InferenceOptions = { compatibility: 'hosted', models: [countingModel(36_000, 100)] };
const NOTHING = { responses: 0, conversations: 0, bytes: 0 };

interface Answer {
  status: number;
  // Bodies of many kinds, which the tests look into.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** By the tab's own engine, which others of other options do not answer. */
function send(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  return page.evaluate(
    async ([verb, url, text]) => {
      const init = { method: verb, ...(text !== undefined && { body: text }) };
      const response = await window.inference!.fetch(`/v1${url}`, init);
      return { status: response.status, body: (await response.json()) as unknown };
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}

/** The body of a 200 answer. */
async function post(page: Page, path: string, body: object): Promise<Answer['body']> {
  const answer = await send(page, 'POST', path, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const create = (page: Page, body: object = {}): Promise<Answer['body']> =>
  post(page, '/responses', { model: 'counting', input: 'Hi', ...body });
const get = (page: Page, id: string): Promise<Answer> => send(page, 'GET', `/responses/${id}`);
const itemsOf = async (page: Page, conversation: string): Promise<{ id: string; role: string }[]> =>
  (await send(page, 'GET', `/conversations/${conversation}/items?order=asc`)).body.data;
const usage = (page: Page) => page.evaluate(() => window.inference!.storedResponses());
const databases = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));

async function reload(page: Page): Promise<void> {
  await page.reload();
  await started(page);
}

/** Polls a background response to its end. */
async function end(page: Page, id: string): Promise<Answer['body']> {
  await expect
    .poll(async () => (await get(page, id)).body.status, { timeout: 60_000 })
    .not.toMatch(/queued|in_progress/);
  return (await get(page, id)).body;
}

it('[H20] after a reload a response is found without a model, and a chained turn reads only what is new', async () => {
  const page = await openHost(context, { compatibility: 'hosted', promptCache: '100MB' });
  const rules = 'Always answer in one short sentence, and never say more than was asked. '.repeat(40);
  const question = [
    { role: 'developer', content: rules },
    { role: 'user', content: 'What is the capital of France?' },
  ];
  const body = { model: 'tiny-chat', max_output_tokens: 20, prompt_cache_key: 'rules' };
  const first = await create(page, { ...body, input: question });
  // Blocks are written one by one, behind the answer.
  let before = 0;
  const isWritten = async (): Promise<boolean> => {
    const models = await page.evaluate(() => window.inference!.stored());
    const bytes = models.find((model) => model.promptCache)?.promptCache?.bytes ?? 0;
    const isSame = bytes > 0 && bytes === before;
    before = bytes;
    return isSame;
  };
  await expect.poll(isWritten, { timeout: 60_000, interval: 1_500 }).toBe(true);
  await reload(page);
  expect((await get(page, first.id)).body).toEqual(first);
  expect((await send(page, 'GET', `/responses/${first.id}/input_items`)).body.data).toHaveLength(2);
  expect(await usage(page)).toMatchObject({ responses: 1, conversations: 0 });
  expect(await stateOf(page, 'tiny-chat')).toBe('absent');

  const ask = { ...body, input: 'And of Spain?' };
  const chained = await create(page, { ...ask, previous_response_id: first.id });
  expect(chained.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens);
  expect(chained.usage.input_tokens_details.cached_tokens).toBeGreaterThan(0);
  // The same request in full means the same prompt, of which all but the last token is known by now.
  const whole = [...question, ...first.output, { role: 'user', content: ask.input }];
  const inFull = await create(page, { ...ask, input: whole, store: false });
  expect(inFull.usage.input_tokens).toBe(chained.usage.input_tokens);
  expect(inFull.output[0].content).toEqual(chained.output[0].content);
  const next = await create(page, { ...ask, previous_response_id: chained.id });
  expect(next.usage.input_tokens_details.cached_tokens).toBeGreaterThanOrEqual(chained.usage.input_tokens);
});

it('[H20] tabs with other options share what is stored, and add to a conversation once each', async () => {
  const one = await openHost(context, HOSTED);
  const other = await openHost(context, { ...HOSTED, storeResponses: '1MB', requestTimeout: 100 });
  const made = await create(one);
  expect((await get(other, made.id)).body).toEqual(made);
  const { id: conversation } = await post(other, '/conversations', {});
  const tabs = [one, other, one, other, one, other];
  const answers = await Promise.all(
    tabs.map((tab, turn) => create(tab, { conversation, input: `Turn ${turn}`, store: turn % 3 === 0 })),
  );
  const items = await itemsOf(one, conversation);
  expect(items.map(({ role }) => role)).toEqual(tabs.flatMap(() => ['user', 'assistant']));
  expect(new Set(items.map(({ id }) => id)).size).toBe(12);
  expect(
    items
      .filter((_, index) => index % 2 === 1)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(answers.map(({ output }) => output[0].id as string).toSorted());
  // Each has read what those before it have added.
  expect(new Set(answers.map(({ usage: { input_tokens } }) => input_tokens)).size).toBe(6);
  expect(await itemsOf(other, conversation)).toEqual(items);
});

it('[H20] a hosting tab that is closed in mid-answer: the answer is stored once, and its conversation has it once', async () => {
  const options = { ...HOSTED, models: [countingModel(40, 50)] };
  const host = await openHost(context, options);
  const reader = await openHost(context, options);
  const { id: conversation } = await post(reader, '/conversations', {});
  const before = await usage(reader);
  await reader.evaluate(async (named) => {
    const seen = { text: '', ended: false };
    Object.assign(window, { seen });
    const body = JSON.stringify({ model: 'counting', input: 'Hi', conversation: named, stream: true });
    const response = await fetch('/v1/responses', { method: 'POST', body });
    const lines = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    void (async () => {
      for (let next = await lines.read(); !next.done; next = await lines.read()) seen.text += next.value;
      seen.ended = true;
    })();
  }, conversation);
  const seen = (): Promise<{ text: string; ended: boolean }> =>
    reader.evaluate(() => (window as unknown as { seen: { text: string; ended: boolean } }).seen);
  await expect.poll(async () => (await seen()).text).toContain('w2 ');
  await host.close();
  await expect.poll(async () => (await seen()).ended, { timeout: 60_000 }).toBe(true);
  const last = [...(await seen()).text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!)).at(-1);
  expect(last.type).toBe('response.completed');
  const items = await itemsOf(reader, conversation);
  expect(items.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(items[1]).toEqual(last.response.output[0]);
  expect((await get(reader, last.response.id)).body).toEqual(last.response);
  expect((await usage(reader)).responses).toBe(before.responses + 1);
});

it('a background response goes on when the tab that asked is closed', async () => {
  const options = { ...HOSTED, models: [countingModel(20, 20)] };
  const host = await openHost(context, options);
  const asking = await openHost(context, options);
  const { id, status } = await create(asking, { background: true });
  expect(status).toMatch(/queued|in_progress/);
  await asking.close();
  expect(await end(host, id)).toMatchObject({ id, status: 'completed', background: true });
});

it('a background response whose hosting tab is closed is begun anew by the next GET, and by nothing else', async () => {
  const host = await openHost(context, ENDLESS);
  const other = await openHost(context, ENDLESS);
  const { id: conversation } = await post(other, '/conversations', {});
  const { id } = await create(other, { background: true, conversation });
  await host.close();
  // A model runs nowhere until somebody asks for the response.
  expect(await itemsOf(other, conversation)).toEqual([]);
  await expect.poll(() => stateOf(other, 'counting')).toBe('absent');
  const quick = await openHost(context, HOSTED);
  expect(await end(quick, id)).toMatchObject({ id, status: 'completed' });
  expect((await itemsOf(quick, conversation)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect((await get(other, id)).body.status).toBe('completed');
});

it('[H23] a tab of another engine ends what is made in the background when all is removed', async () => {
  const one = await openHost(context, ENDLESS);
  const other = await openHost(context, HOSTED);
  const { id } = await create(one, { background: true });
  await create(other);
  expect(await usage(other)).toMatchObject({ responses: 2 });
  await other.evaluate(() => window.inference!.removeResponses());
  expect([await usage(one), await usage(other)]).toEqual([NOTHING, NOTHING]);
  expect((await get(one, id)).status).toBe(404);
  // The model is free.
  await expect.poll(() => stateOf(one, 'counting')).toBe('ready');
});

it('[H20] [H23] while nothing is stored there is no database, and what was stored before is counted and removed', async () => {
  const off = await openHost(context, { models: HOSTED.models! });
  await create(off);
  expect(await usage(off)).toEqual(NOTHING);
  await off.evaluate(() => window.inference!.removeResponses());
  expect(await databases(off)).not.toContain('inpage-responses');
  const on = await openHost(context, { ...HOSTED, apiKeys: ['key-one-of-two', 'key-two-of-two'] });
  for (const key of ['key-one-of-two', 'key-two-of-two'])
    await on.evaluate(async (authorization) => {
      const body = JSON.stringify({ model: 'counting', input: 'Hi' });
      await window.inference!.fetch('/v1/responses', { method: 'POST', headers: { authorization }, body });
    }, `Bearer ${key}`);
  expect(await databases(on)).toContain('inpage-responses');
  expect((await usage(off)).responses).toBe(2);
  expect((await usage(off)).bytes).toBeGreaterThan(0);
  await off.evaluate(() => window.inference!.removeResponses());
  expect([await usage(off), await usage(on)]).toEqual([NOTHING, NOTHING]);
});

it('[H20] `memory` leaves no database, and is gone with its engine', async () => {
  const page = await openHost(context, { ...HOSTED, storeResponses: 'memory' });
  const made = await create(page);
  expect((await get(page, made.id)).body).toEqual(made);
  expect(await usage(page)).toMatchObject({ responses: 1 });
  await reload(page);
  expect((await get(page, made.id)).status).toBe(404);
  expect(await databases(page)).not.toContain('inpage-responses');
});

it('[H20] what is stored is there when the browser comes back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-profile-'));
  const launch = () => chromium.launchPersistentContext(folder, { ...CHROMIUM, args: [...CHROMIUM_ARGUMENTS] });
  try {
    let own = await launch();
    const made = await create(await openHost(own, HOSTED));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await own.close();
    own = await launch();
    const found = await get(await openHost(own, HOSTED), made.id);
    await own.close();
    expect(found.body).toEqual(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
