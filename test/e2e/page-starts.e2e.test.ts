/** A start runs, or it cannot and says why at once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingModel, newContext, started } from './support/host-page.js';
import { serveFolder } from './support/serve-demo.js';
import { withBrowser } from './support/shared-chromium.js';

const DEMO = join(import.meta.dirname, '../../dist-demo');
const models = [countingModel(3, 0)];
const BODY = JSON.stringify({ model: 'counting', messages: [{ role: 'user', content: 'Hi' }] });

let browser: Browser;
withBrowser((connected) => (browser = connected));

/** The demo without a policy, and beside it what a test wants to be answered. */
let demo: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => (demo = await serveFolder(DEMO, false, false)));
afterAll(() => demo.close());

/** A server that passes everything on to the demo but for its own pages. */
async function serve(
  own: Record<string, { type?: string; body?: string; headers?: Record<string, string> }>,
): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const page = own[path];
    if (page) {
      response.writeHead(200, { 'content-type': page.type ?? 'text/html', ...page.headers }).end(page.body ?? '');
      return;
    }
    void fetch(demo.origin + path).then(async (answer) => {
      const type = answer.headers.get('content-type') ?? 'text/plain';
      response.writeHead(answer.status, { 'content-type': type, 'access-control-allow-origin': '*' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

async function openPage(url: string, settings: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ serviceWorkers: 'allow', ...settings });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const host = (origin: string, options: object): string =>
  `${origin}/host.html#${encodeURIComponent(JSON.stringify(options))}`;

/** What a start that cannot succeed says, and after how many milliseconds. */
async function failureOf(page: Page): Promise<string> {
  await page.waitForFunction(() => window.inferenceError !== undefined, undefined, { timeout: 20_000 });
  return page.evaluate(() => window.inferenceError!);
}

describe('a page whose site data was cleared', () => {
  const own = { '/logout': { headers: { 'clear-site-data': '"storage"' } } };

  it('starts again, with a Service Worker and without', async () => {
    const origin = await serve(own);
    for (const more of [{ serviceWorker: false as const }, {}]) {
      const page = await openPage(host(origin, { models, ...more }));
      await started(page);
      const statuses = await page.evaluate(
        async ([body, options]) => {
          const ask = async (): Promise<number> =>
            (await window.inference!.fetch('/v1/chat/completions', { method: 'POST', body })).status;
          const before = await ask();
          await fetch('/logout');
          await window.inference!.stop();
          window.inference = await window.startInference(options);
          return [before, await ask(), await ask()];
        },
        [BODY, { models, ...more }] as const,
      );
      expect(statuses).toEqual([200, 200, 200]);
    }
  });

  it('by another tab is answered all the same', async () => {
    const origin = await serve(own);
    const context = await newContext(browser);
    onTestFinished(() => context.close());
    const [hosting, other] = [await context.newPage(), await context.newPage()];
    for (const page of [hosting, other]) {
      await page.goto(host(origin, { models }));
      await started(page);
    }
    await hosting.evaluate(() => fetch('/logout'));
    const ask = (page: Page): Promise<number> =>
      page.evaluate(
        async (body) => (await window.inference!.fetch('/v1/chat/completions', { method: 'POST', body })).status,
        BODY,
      );
    expect(await ask(other)).toBe(200);
    expect(await ask(hosting)).toBe(200);
  });
});

describe('a page that cannot start says why at once', () => {
  it.each([
    ['by a library of another origin', { serviceWorker: false }, /is of another origin than this page/],
    ['by one, with a Service Worker', {}, /of another origin than this page|could not be registered/],
  ])('%s', async (_, options, message) => {
    const library = await serve({});
    const script = `import '${library}/${await entryOf('host.html')}'`;
    const origin = await serve({ '/app.html': { body: `<script type="module">${script}</script>` } });
    const page = await openPage(`${origin}/app.html#${encodeURIComponent(JSON.stringify({ models, ...options }))}`);
    expect(await failureOf(page)).toMatch(message);
  });

  it.each([
    ['srcdoc', '', /srcdoc/],
    ['sandboxed', 'sandbox="allow-scripts"', /sandbox/],
  ])('in a frame that is %s', async (kind, attribute, message) => {
    const options = encodeURIComponent(JSON.stringify({ models }));
    const origin = await serve({
      '/framed.html': { body: '<iframe id="f"></iframe>' },
    });
    const page = await openPage(`${origin}/framed.html`);
    const entry = await entryOf('host.html');
    await page.setContent(
      kind === 'srcdoc'
        ? `<iframe srcdoc="<base href='${origin}/'><script type='module' src='${origin}/${entry}'></script>"></iframe>`
        : `<iframe ${attribute} src="${origin}/host.html#${options}"></iframe>`,
    );
    const frame = page.frames().at(-1)!;
    await frame.waitForFunction(() => window.inferenceError !== undefined, undefined, { timeout: 20_000 });
    expect(await frame.evaluate(() => window.inferenceError)).toMatch(message);
  });

  it('where Service Workers are blocked, and runs without one', async () => {
    const page = await openPage(host(demo.origin, { models }), { serviceWorkers: 'block' });
    expect(await failureOf(page)).toMatch(/block.*serviceWorker: false/);
    await started(await openPage(host(demo.origin, { models, serviceWorker: false }), { serviceWorkers: 'block' }));
  });
});

/** The script of a page of the demo. */
async function entryOf(page: string): Promise<string> {
  const text = await (await fetch(`${demo.origin}/${page}`)).text();
  return /src="\.?\/?(assets\/[^"]+\.js)"/.exec(text)![1]!;
}
