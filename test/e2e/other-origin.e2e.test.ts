/** Other origins: their pages can do nothing that costs an app anything, and their bases are answered for them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Frame, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingModel, newContext, openHost } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';
import { type RemoteService, serveRemote } from './support/remote-service.js';
import { demoOrigin } from './support/demo-origin.js';

describe('a page of another site', () => {
  let browser: Browser;
  let remote: RemoteService;
  let context: BrowserContext;
  let app: Page;
  let foreignOrigin: string;
  /** Where the foreign server sends those who post to `/redirect`. */
  let target: string;
  const foreign = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(307, { location: target }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Foreign</title>');
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    // Another site than localhost, not only another origin.
    foreignOrigin = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    target = `${demoOrigin()}/v1/chat/completions`;
    browser = await connectToSharedChromium();
    remote = await serveRemote([countingModel(3, 0, 'far')]);
    context = await newContext(browser);
    app = await openHost(context, {
      models: [
        {
          id: 'cloud',
          task: 'chat',
          backend: 'upstream',
          source: remote.baseURL,
          upstreamModel: 'far',
          headers: { authorization: 'Bearer of-the-app' },
        },
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
    await remote.close();
    foreign.closeAllConnections();
    foreign.close();
  });

  /** A request body that a form can send: the part after the name begins with an equals sign. */
  const FORM = { name: '{"model":"cloud","messages":[{"role":"user","content":"Hi', value: '"}]}' };

  const openForeign = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(foreignOrigin);
    return page;
  };
  /** Posts the form; `into` is the name of a frame or window. */
  const post = (page: Page, action: string, into = ''): Promise<void> =>
    page.evaluate(
      ([{ name, value }, url, frame]) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', enctype: 'text/plain', action: url, target: frame });
        const field = document.createElement('input');
        Object.assign(field, { name, value });
        form.append(field);
        document.body.append(form);
        form.submit();
      },
      [FORM, action, into] as const,
    );
  /** The app still answers its own page, and that was the only request that came to the service. */
  const requireOnlyOwn = async (): Promise<void> => {
    const before = remote.requests.length;
    const status = await app.evaluate(async () => {
      const body = JSON.stringify({ model: 'cloud', messages: [{ role: 'user', content: 'Hi' }] });
      return (await fetch('/v1/chat/completions', { method: 'POST', body })).status;
    });
    expect([status, before, remote.requests.length]).toEqual([200, before, before + 1]);
  };
  const spentBy = async (act: () => Promise<void>): Promise<number> => {
    const before = remote.requests.length;
    await act();
    await requireOnlyOwn();
    return remote.requests.length - before - 1;
  };

  it.each([
    ['posts a form', () => target],
    ['posts a form that is redirected with its body', () => `${foreignOrigin}/redirect`],
  ])('%s, and is refused', async (_, action) => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      const refused = page.waitForEvent('requestfailed', (request) => request.url() === target);
      await post(page, action());
      expect((await refused).method()).toBe('POST');
      await page.close();
    });
    expect(spent).toBe(0);
  });

  it('posts a form into an iframe, which no Service Worker of the app sees', async () => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      await page.evaluate(() => {
        const frame = document.createElement('iframe');
        frame.name = 'inner';
        document.body.append(frame);
      });
      const sent = page.waitForEvent('request', (request) => request.url() === target);
      await post(page, target, 'inner');
      await (await sent).response();
      await page.close();
    });
    expect(spent).toBe(0);
  });

  it('posts a form into a popup, and is refused', async () => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      const refused = context.waitForEvent('requestfailed', (request) => request.url() === target);
      await post(page, target, '_blank');
      await refused;
      for (const other of context.pages()) if (other !== app) await other.close();
    });
    expect(spent).toBe(0);
  });

  it.each([['cors'], ['no-cors']] as const)('fetches with %s, and reaches the network at most', async (mode) => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      await page.evaluate(
        async ([url, how]) => {
          const body = JSON.stringify({ model: 'cloud', messages: [{ role: 'user', content: 'Hi' }] });
          await fetch(url, { method: 'POST', mode: how, credentials: 'include', body }).catch(() => {});
          navigator.sendBeacon(url, body);
        },
        [target, mode] as const,
      );
      await page.close();
    });
    expect(spent).toBe(0);
  });

  it('holds an opened app by its window, and can neither fetch nor read there', async () => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        page.evaluate((url) => void window.open(url, 'app'), `${demoOrigin()}/v1/models`),
      ]);
      await popup.waitForLoadState();
      const reached = await page.evaluate(async () => {
        const other = window.open('', 'app') as Window & typeof globalThis;
        try {
          return (await other.fetch('/v1/models')).status;
        } catch (error) {
          return (error as Error).name;
        }
      });
      expect(reached).toMatch(/SecurityError|TypeError/);
      await popup.close();
      await page.close();
    });
    expect(spent).toBe(0);
  });

  it('shows the app in an iframe, which does not answer its messages', async () => {
    const spent = await spentBy(async () => {
      const page = await openForeign();
      await page.evaluate(async (url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
        await new Promise((resolve) => (frame.onload = resolve));
        const { port1, port2 } = new MessageChannel();
        port1.start();
        frame.contentWindow!.postMessage({ inpage: 'connect', prefix: '/v1' }, '*', [port2]);
      }, `${demoOrigin()}/host.html`);
      const framed = page.frames().find((frame: Frame) => frame !== page.mainFrame());
      expect(framed).toBeDefined();
      await page.close();
    });
    expect(spent).toBe(0);
  });
});

it('agents at an intercepted base of another origin are answered as hosted services do, and there alone', async () => {
  const browser = await connectToSharedChromium();
  onTestFinished(() => browser.close());
  // An app that calls another origin allows it in its policy; the demo's own policy does not.
  const context = await browser.newContext({ serviceWorkers: 'allow', bypassCSP: true });
  const bases = ['https://api.anthropic.com/v1', '/v1'];
  const page = await openHost(context, { models: [countingModel(3, 0, 'quick')], intercept: [bases[0]!] });
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'The user has saved a file.' },
  ];
  const tools = [{ type: 'namespace', name: 'mcp__fruit', tools: [{ type: 'function', name: 'peel' }] }];
  const bodies = [
    ['/messages', { max_tokens: 9, messages }],
    ['/responses', { input: 'Hi', tools }],
  ] as const;
  const statuses = await page.evaluate(
    ([to, all]) =>
      Promise.all(
        [fetch, window.inference!.fetch].flatMap((send) =>
          to.flatMap((base) =>
            all.map(async ([path, fields]) => {
              const body = JSON.stringify({ model: 'quick', ...fields });
              return (await send(`${base}${path}`, { method: 'POST', body })).status;
            }),
          ),
        ),
      ),
    [bases, bodies] as const,
  );
  expect(statuses).toEqual([200, 200, 400, 400, 200, 200, 400, 400]);
});

it('[O01] [O02] programs find Ollama where it usually is, with the Service Worker and by `inference.fetch`', async () => {
  const browser = await connectToSharedChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ serviceWorkers: 'allow', bypassCSP: true });
  const bases = ['http://localhost:11434', 'http://127.0.0.1:11434'];
  const page = await openHost(context, { models: [countingModel(3, 0, 'quick')], intercept: bases });
  const answers = await page.evaluate(async (all) => {
    const ask = async (send: typeof fetch, address: string, body?: object): Promise<[number, string]> => {
      const answer = await send(address, body && { method: 'POST', body: JSON.stringify(body) });
      return [answer.status, (await answer.text()).trim()];
    };
    const found: [number, string][] = [];
    for (const send of [fetch, window.inference!.fetch]) {
      for (const base of [...all, window.inference!.baseURL]) {
        if (base !== window.inference!.baseURL) found.push(await ask(send, `${base}/`));
        found.push(await ask(send, `${base}/api/tags`));
        found.push(
          await ask(send, `${base}/api/chat`, { model: 'quick', messages: [{ role: 'user', content: 'Hi' }] }),
        );
      }
      found.push(await ask(send, `${all[0]}/v1/models`));
    }
    return found;
  }, bases);
  expect(answers).toHaveLength(18);
  for (const [status, text] of answers)
    expect([status, text]).toEqual([200, expect.stringMatching(/^Ollama is running$|"quick/)]);
  expect(answers.filter(([, text]) => text.endsWith('}') && text.includes('"done":true'))).toHaveLength(6);
});
