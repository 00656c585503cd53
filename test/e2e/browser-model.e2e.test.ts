/** The browser's own model behind `/v1`, in a real page: without one, and with a stand-in of its interface. */
import { type BrowserContext, chromium } from 'playwright';
import { expect, it, onTestFinished } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { CHROMIUM_ARGUMENTS, wholeBrowser } from '../support/chromium.js';
import { createLanguageModel, type StandIn } from '../support/language-model.js';
import {
  abortStream,
  ask,
  countingModel,
  newContext,
  openHost,
  requireNothingLeaked,
  startStream,
  streamEnd,
  takeServerLog,
} from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const ASSISTANT: ModelEntry = { id: 'assistant', task: 'chat', backend: 'built-in', fallback: 'small' };
const SMALL = countingModel(3, 0, 'small');
/** Writes for as long as the test looks. */
const SLOW = countingModel(4_000, 25, 'slow');

let context: BrowserContext;
withContexts(async (fresh) => {
  context = fresh;
  await takeServerLog();
}, requireNothingLeaked);

/** Gives every page of the context a stand-in of the interface, as `window.standIn`. */
const giveModel = (): Promise<unknown> =>
  context.addInitScript(
    `globalThis.standIn = (${createLanguageModel.toString()})({
       reply: (turns) => turns.at(-1).content === 'Hello' ? 'I am in the browser.' : 'w0 w1 w2 '.repeat(700), window: 5000,
     });
     Object.defineProperty(globalThis, 'LanguageModel', { value: standIn.factory, configurable: true });`,
  );

it('[B02] Chromium without a model: the fallback answers while another model writes', async () => {
  // The one without windows has the interface, and nobody behind it.
  const whole = await chromium.launch({
    ...(wholeBrowser && { executablePath: wholeBrowser }),
    args: CHROMIUM_ARGUMENTS,
  });
  onTestFinished(() => whole.close());
  const page = await openHost(await newContext(whole), { models: [ASSISTANT, SMALL, SLOW] });
  const statusOf = (model: string) =>
    page.evaluate((wanted) => window.inference!.status().find(({ id }) => id === wanted), model);
  await startStream(page, 'slow');
  expect((await ask(page, 'assistant')).text).toContain('"content":"w0 w1 w2 "');
  expect(await statusOf('slow')).toMatchObject({ state: 'busy' });
  expect(await statusOf('assistant')).toMatchObject({ state: 'failed', error: { code: 'insufficient_resources' } });
});

it('[B01] [B07] a page with the interface answers through its gateway; aborting and unloading end its sessions', async () => {
  await giveModel();
  const page = await openHost(context, { models: [ASSISTANT, SMALL] });
  const state = () =>
    page.evaluate(() => {
      const { standIn } = globalThis as unknown as { standIn: StandIn };
      const last = standIn.prompts.at(-1);
      return { open: standIn.open.size, aborted: last?.settings.signal?.aborted, pieces: last?.pieces };
    });
  const answer = await page.evaluate(async () => {
    const response = await fetch('/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'assistant', input: 'Hello' }),
    });
    return (await response.json()) as object;
  });
  expect(answer).toMatchObject({ output: [{ content: [{ text: 'I am in the browser.' }] }] });
  await startStream(page, 'assistant');
  await expect.poll(async () => (await state()).pieces).toBeGreaterThan(2);
  await abortStream(page);
  await streamEnd(page);
  await expect.poll(async () => (await state()).aborted).toBe(true);
  expect((await state()).pieces).toBeLessThan(2000);
  await page.evaluate(() => window.inference!.unload('assistant'));
  await expect.poll(async () => (await state()).open).toBe(0);
});

it('[J31] a page with SemanticEmbedder answers /embeddings, by the one that was there first', async () => {
  await context.addInitScript(() => {
    const vectors =
      (sign: number) =>
      async (input: string[], { taskType }: { taskType?: string }) => ({
        embeddings: input.map((text) => ({ values: Float32Array.of(sign * text.length, taskType ? 4 : 0) })),
      });
    const embedder = (sign: number) => ({
      availability: async () => 'available',
      create: async () => ({ embed: vectors(sign), destroy() {} }),
    });
    Object.defineProperty(globalThis, 'SemanticEmbedder', { value: embedder(1), configurable: true });
    window.addEventListener('load', () =>
      Object.defineProperty(globalThis, 'SemanticEmbedder', { value: embedder(-1), configurable: true }),
    );
  });
  const page = await openHost(context, { models: [{ id: 'own', task: 'embeddings', backend: 'built-in' }] });
  const answer = await page.evaluate(async () => {
    const response = await fetch('/v1/embeddings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'own', input: ['abc', 'abc'], input_type: 'query' }),
    });
    const { data, usage } = (await response.json()) as { data: { embedding: number[] }[]; usage: object };
    return { vectors: data.map(({ embedding }) => embedding), usage };
  });
  expect(answer.usage).toEqual({ prompt_tokens: 0, total_tokens: 0 });
  for (const [first, second] of answer.vectors) {
    expect(first).toBeCloseTo(0.6, 6);
    expect(second).toBeCloseTo(0.8, 6);
  }
  expect(answer.vectors).toHaveLength(2);
});

it('a replacement that is installed later, on top of this very service, is not asked: before the first load and after another', async () => {
  await giveModel();
  const page = await openHost(context, { models: [ASSISTANT, SMALL] });
  const asked = await page.evaluate(async () => {
    let calls = 0;
    const ask = async (): Promise<string> => {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      return response.text();
    };
    const session = { promptStreaming: () => new Response(void (calls += 1)).body, destroy: () => {} };
    const create = (): Promise<unknown> => ((calls += 1), ask().then(() => session));
    const replacement = { availability: () => ((calls += 1), Promise.resolve('available')), create };
    Object.defineProperty(globalThis, 'LanguageModel', { value: replacement });
    const first = await ask();
    await window.inference!.unload('assistant');
    return { calls, answers: [first, await ask()] };
  });
  expect(asked.calls).toBe(0);
  for (const answer of asked.answers) expect(answer).toContain('I am in the browser.');
});

it('where a polyfill that was there before Inpage asks the model that asks it, the request ends, and other models answer', async () => {
  await context.addInitScript(() => {
    const answers = async (text: string): Promise<string> => {
      const body = JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content: text }] });
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/v1/chat/completions', { method: 'POST', headers, body })).text();
    };
    const session = {
      contextWindow: 1_000,
      contextUsage: 0,
      measureContextUsage: async () => 1,
      clone: async () => session,
      append: async () => {},
      destroy() {},
      addEventListener() {},
      promptStreaming: () =>
        new ReadableStream({ pull: async (controller) => controller.error(new Error(await answers('Hello'))) }),
    };
    const polyfill = { availability: async () => 'available', create: async () => session };
    Object.defineProperty(globalThis, 'LanguageModel', { value: polyfill });
  });
  const page = await openHost(context, {
    models: [{ id: 'assistant', task: 'chat', backend: 'built-in' }, SMALL],
    requestTimeout: 2,
  });
  expect((await ask(page, 'assistant')).status).toBe(408);
  expect((await ask(page, 'small')).status).toBe(200);
});
