/** Pages whose policy has `require-trusted-types-for 'script'`, as the server of all these tests sends it. */
import type { BrowserContext } from 'playwright';
import { expect, it } from 'vitest';
import { demoOrigin } from './support/demo-origin.js';
import { openHost } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((fresh) => {
  context = fresh;
});

it('every page and every worker of the demo comes with the header', async () => {
  const page = await openHost(context, {});
  const scripts = page.workers().map((worker) => worker.url());
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of ['/', '/host.html', '/inpage-sw.js', '/inpage-sw-isolated.js', '/sw.js', ...scripts]) {
    const { headers } = await fetch(new URL(path, demoOrigin()));
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringMatching(/require-trusted-types-for 'script'; trusted-types inpage /),
    ]);
  }
});

it('runs ONNX Runtime with its threads, the grammar engine and the Service Worker', async () => {
  const page = await openHost(context, {});
  const violations = await page.evaluate(async () => {
    const found: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => found.push(effectiveDirective));
    const post = async (path: string, body: object): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    };
    const statuses = await Promise.all([
      post('embeddings', { model: 'tiny-embed', input: 'A text.' }),
      post('chat/completions', {
        model: 'tiny-chat',
        max_tokens: 40,
        messages: [{ role: 'user', content: 'A number.' }],
        response_format: { type: 'json_schema', json_schema: { name: 'number', schema } },
      }),
    ]);
    return [...found, ...statuses.filter((status) => status !== 200)];
  });
  expect(violations).toEqual([]);
  const [cores, threads] = await page.evaluate(() => [
    navigator.hardwareConcurrency,
    window.inference!.status().find(({ id }) => id === 'tiny-embed')?.threads,
  ]);
  expect(threads).toBeGreaterThan(cores > 2 ? 1 : 0);
});

it.each([undefined, false] as const)(
  'a policy that does not allow ours is named (serviceWorker: %s)',
  async (serviceWorker) => {
    await context.route(/host\.html/, async (route) => {
      const response = await route.fetch();
      const policy = "require-trusted-types-for 'script'; trusted-types app";
      await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } });
    });
    const options = serviceWorker === undefined ? {} : { serviceWorker };
    await expect(openHost(context, options)).rejects.toThrow(
      /requires Trusted Types, but does not allow the policy `inpage`.*`trusted-types inpage`/,
    );
  },
);
