/** Nothing of one test reaches the next: they run in this order, in one worker and one browser. */
import { expect, test as base } from 'playwright/test';
import type { Page } from 'playwright';
import { type InferenceFixtures, inferenceFixtures } from 'inpage/playwright';

const test = base.extend<InferenceFixtures>(inferenceFixtures);

test.use({
  inferenceOptions: {
    rateLimits: { requestsPerMinute: 5 },
    models: [{ id: 'first', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'one' }] } }],
  },
});

/** Asks from the app's page. */
function ask(page: Page, path: string, body: object): Promise<{ status: number; left: string | null; text: string }> {
  return page.evaluate(
    async ([to, json]) => {
      const response = await fetch(`/v1${to}`, { method: 'POST', body: json! });
      const left = response.headers.get('x-ratelimit-remaining-requests');
      return { status: response.status, left, text: await response.text() };
    },
    [path, JSON.stringify(body)],
  );
}

const CHAT = { model: 'first', messages: [{ role: 'user', content: 'Hi' }] };
/** Of the answer that the first test leaves. */
let itemId = '';

test('one test leaves whatever it can', async ({ page, inference }) => {
  await page.goto('/');
  const { text } = await ask(page, '/responses', { model: 'first', input: 'Hi' });
  itemId = (JSON.parse(text) as { output: { id: string }[] }).output[0]!.id;
  const known = await ask(page, '/responses', { model: 'first', input: [{ type: 'item_reference', id: itemId }] });
  expect(known.status).toBe(200);
  expect((await ask(page, '/chat/completions', CHAT)).left).toBe('2');
  await inference.faults.set({ fail: { status: 500, count: 100 } });
  expect((await ask(page, '/chat/completions', CHAT)).status).toBe(500);
  expect(await inference.status()).toMatchObject([{ id: 'first', state: 'ready' }]);
});

test('the next finds nothing of it', async ({ page, inference }) => {
  expect(await inference.status()).toMatchObject([{ id: 'first', state: 'absent' }]);
  await page.goto('/');
  expect(inference.requests).toEqual([]);
  const chat = await ask(page, '/chat/completions', CHAT);
  expect(chat).toMatchObject({ status: 200, left: '4' });
  expect(itemId).not.toBe('');
  const unknown = await ask(page, '/responses', { model: 'first', input: [{ type: 'item_reference', id: itemId }] });
  expect(unknown.status).toBe(400);
  expect(inference.requests).toHaveLength(2);
});

test('one whose service crashes is told so', async ({ context, inference }) => {
  const [host] = context.pages();
  const crashed = host!.waitForEvent('crash');
  await host!.goto('chrome://crash').catch(() => {});
  await crashed;
  await expect(inference.status()).rejects.toThrow('has crashed');
});

test('the next has a service again', async ({ page }) => {
  await page.goto('/');
  expect(await ask(page, '/chat/completions', CHAT)).toMatchObject({ status: 200, left: '4' });
});

test.describe('with other options', () => {
  test.use({
    inferenceOptions: {
      prefix: '/api/v1',
      models: [{ id: 'second', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'two' }] } }],
    },
  });

  test('there is only what they say', async ({ page, inference }) => {
    await page.goto('/');
    expect(await inference.status()).toMatchObject([{ id: 'second' }]);
    const ids = await page.evaluate(async () => {
      const { data } = (await (await fetch('/api/v1/models')).json()) as { data: { id: string }[] };
      return [data.map(({ id }) => id), (await fetch('/v1/models')).status];
    });
    expect(ids).toEqual([['second'], 404]);
  });
});
