import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { demoOrigin } from './support/demo-origin.js';
import { ask, countingModel, stopServiceWorkers } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((fresh) => {
  context = fresh;
});

const MODELS: InferenceOptions['models'] = [countingModel(5, 0, 'quick')];

declare global {
  interface Window {
    aborted?: unknown[];
    piece?: (text: string | undefined) => void;
    streamed?: string;
    runs?: number;
  }
}

/** A page that has not started: `startInference` is called with functions. */
async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/host.html#${encodeURIComponent('{"models":1}')}`);
  await page.waitForFunction(() => window.inferenceError !== undefined);
  return page;
}

/** Starts with routes that show what they get. @param name which page it is */
async function start(page: Page, options: InferenceOptions = {}, name = 'page'): Promise<void> {
  await page.evaluate(
    async ([given, own]) => {
      window.runs = 0;
      window.aborted = [];
      window.inference = await window.startInference({
        ...given,
        routes: {
          'POST /api/echo/:id': async (request, { params }) => {
            const { method, url, headers } = request;
            const body = [method, url, headers.get('x-own'), params, await request.text()];
            return Response.json(body, { status: 201, statusText: 'Made', headers: { 'x-mine': 'yes' } });
          },
          'GET /api/who': () => {
            window.runs! += 1;
            return new Response(own);
          },
          'GET /api/stream': (request) => {
            request.signal.addEventListener('abort', () => window.aborted!.push('signal'));
            const stream = new ReadableStream<Uint8Array>({
              start: (controller) => {
                window.piece = (text) => {
                  if (text === undefined) controller.error(new Error('broken'));
                  else controller.enqueue(new TextEncoder().encode(text));
                };
              },
              cancel: () => void window.aborted!.push('stream'),
            });
            return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
          },
          'GET /api/never': (request) => {
            window.runs! += 1;
            request.signal.addEventListener('abort', () => window.aborted!.push('signal'));
            return new Promise<never>(() => {});
          },
          'GET /api/pass': (request, context) => context.fetch(request),
          'GET /api/from': () => Response.redirect(new URL('/api/who', location.href).href),
          'POST /v1/chat/completions': async (request, context) => {
            const response = await context.fetch(request);
            return new Response(response.body, { status: response.status, headers: { 'x-wrapped': 'yes' } });
          },
          'PUT https://api.example.com/v1/ai/*': (_, { params }) => Response.json(params),
        },
      });
    },
    [{ models: MODELS, ...options } as InferenceOptions, name] as const,
  );
}

const textOf = (page: Page, path: string, init: RequestInit = {}): Promise<[number, string]> =>
  page.evaluate(
    async ([address, given]) => {
      const response = await fetch(address, given);
      return [response.status, await response.text()] as [number, string];
    },
    [path, init] as const,
  );

/** Begins to read `/api/stream` in the page. */
async function stream(page: Page): Promise<void> {
  await page.evaluate(async () => {
    window.streamed = '';
    const response = await fetch('/api/stream');
    void (async () => {
      try {
        const decoder = new TextDecoder();
        for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
          window.streamed += decoder.decode(piece);
        window.streamed += '[end]';
      } catch {
        window.streamed += '[error]';
      }
    })();
  });
}

describe('routes of the app', () => {
  it('[U01] [U02] [U06] [U07] answer fetch, XMLHttpRequest and inference.fetch', async () => {
    const page = await openPage();
    await start(page);
    const seen = await page.evaluate(async () => {
      const init = { method: 'POST', body: 'text', headers: { 'x-own': 'a' } };
      const shown = async (response: Response): Promise<unknown> => [
        response.status,
        response.statusText,
        response.headers.get('x-mine'),
        response.url,
        await response.json(),
      ];
      const request = new XMLHttpRequest();
      await new Promise((resolve) => {
        request.onloadend = resolve;
        request.open('POST', '/api/echo/7?q=1');
        request.send('text');
      });
      return [
        await shown(await fetch('/api/echo/7?q=1', init)),
        await shown(await window.inference!.fetch('/api/echo/7?q=1', init)),
        request.status,
        await (await window.inference!.fetch('https://api.example.com/v1/ai/a/b', { method: 'PUT' })).json(),
      ];
    });
    const url = `${demoOrigin()}/api/echo/7?q=1`;
    const answer = [201, 'Made', 'yes', url, ['POST', url, 'a', { id: '7' }, 'text']];
    expect(seen).toEqual([answer, answer, 201, { '*': 'a/b' }]);
  });

  it('[U18] are a file that a page without them does not load, and the Service Worker knows none', async () => {
    const loaded: string[] = [];
    context.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    const without = await openPage();
    await without.evaluate(async (models) => {
      window.inference = await window.startInference({ models });
    }, MODELS);
    const file = /\/page-routes-[^/]+\.js$/;
    const script = (page: Page): Promise<string> =>
      page.evaluate(() => new URL(navigator.serviceWorker.controller!.scriptURL).search);
    expect(loaded.filter((path) => file.test(path))).toEqual([]);
    expect(await script(without)).toBe('');
    await without.evaluate(() => window.inference!.stop());
    const page = await openPage();
    await start(page);
    expect(loaded.filter((path) => file.test(path))).toHaveLength(1);
    expect(await script(page)).toContain('route=POST');
  });

  it('[U04] leave other methods, paths and navigations to the server', async () => {
    const page = await openPage();
    await start(page);
    expect((await textOf(page, '/api/echo/7'))[0]).not.toBe(201);
    expect((await textOf(page, '/api/whose'))[1]).not.toBe('page');
    expect(await page.evaluate(async () => (await fetch('/api/who', { method: 'HEAD' })).status)).toBe(200);
    await page.goto(`${demoOrigin()}/api/who`);
    expect(await page.content()).not.toContain('page');
  });

  it('[U05] win over the service, which they can ask; context.fetch meets none', async () => {
    const page = await openPage();
    await start(page);
    const wrapped = await page.evaluate(async () => {
      const body = JSON.stringify({ model: 'quick', messages: [{ role: 'user', content: 'Hi' }] });
      const response = await fetch('/v1/chat/completions', { method: 'POST', body });
      return [response.headers.get('x-wrapped'), await response.text()];
    });
    expect(wrapped).toEqual(['yes', expect.stringContaining('w0 w1 w2 w3 w4')]);
    const [, text] = await textOf(page, '/api/pass');
    expect(text).not.toBe('page');
  });

  it('[U08] stream each piece while the handler still writes, and break where it breaks', async () => {
    const page = await openPage();
    await start(page);
    await stream(page);
    for (const piece of ['a', 'b', 'c']) {
      await page.evaluate((text) => window.piece!(text), piece);
      await page.waitForFunction((text) => window.streamed!.endsWith(text), piece);
    }
    await page.evaluate(() => window.piece!(undefined));
    await expect.poll(() => page.evaluate(() => window.streamed)).toBe('abc[error]');
  });

  it('[U09] redirect', async () => {
    const page = await openPage();
    await start(page);
    const seen = await page.evaluate(async () => {
      const shown = async (response: Response): Promise<unknown> => [
        response.redirected,
        response.url,
        await response.text(),
      ];
      return [await shown(await fetch('/api/from')), await shown(await window.inference!.fetch('/api/from'))];
    });
    const answer = [true, `${demoOrigin()}/api/who`, 'page'];
    expect(seen).toEqual([answer, answer]);
  });

  it('[U10] are aborted with the body that nobody reads', async () => {
    const page = await openPage();
    await start(page);
    await page.evaluate(async () => {
      const left = new AbortController();
      const response = await fetch('/api/stream', { signal: left.signal });
      window.piece!('a');
      await response.body!.getReader().read();
      left.abort();
    });
    await expect.poll(() => page.evaluate(() => window.aborted!.length)).toBe(2);
  });
});

describe('of several pages', () => {
  it('[U13] the one that asks answers, however busy it is', async () => {
    const [first, second] = [await openPage(), await openPage()];
    await start(first, {}, 'first');
    await start(second, {}, 'second');
    expect(await textOf(first, '/api/who')).toEqual([200, 'first']);
    const answered = first.evaluate(async () => {
      const response = fetch('/api/who');
      await new Promise((resolve) => setTimeout(resolve, 20));
      const end = performance.now() + 2_500;
      while (performance.now() < end);
      return (await response).text();
    });
    expect(await answered).toBe('first');
    expect(await second.evaluate(() => window.runs)).toBe(0);
  });

  it('[U14] one with the route answers a frame without', async () => {
    const page = await openPage();
    await start(page);
    const text = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const frame = document.createElement('iframe');
          frame.addEventListener('load', () => {
            const own = frame.contentWindow as unknown as typeof globalThis;
            void own.fetch('/api/who').then(async (response) => resolve(await response.text()));
          });
          frame.src = '/host.html#frame';
          document.body.append(frame);
        }),
    );
    expect(text).toBe('page');
  });

  it('[U14] [U15] none gets a request twice: a page that closes before the response is a 503', async () => {
    const [host, asker] = [await openPage(), await openPage()];
    await start(host, {}, 'host');
    await start(asker, {}, 'asker');
    // A frame has no handler of its own; the page that was focused last answers.
    await asker.bringToFront();
    const answered = host.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const frame = document.createElement('iframe');
          frame.addEventListener('load', () => {
            const { contentWindow } = frame;
            void (contentWindow as unknown as typeof globalThis)
              .fetch('/api/never')
              .then(({ status }) => resolve(status));
          });
          frame.src = '/host.html#frame';
          document.body.append(frame);
        }),
    );
    await expect.poll(() => asker.evaluate(() => window.runs)).toBe(1);
    await asker.close();
    expect(await answered).toBe(503);
    expect(await host.evaluate(() => window.runs)).toBe(0);
  });

  it('[U16] after stop() it is 503 at once, and what runs is aborted', async () => {
    const page = await openPage();
    await start(page);
    const status = await page.evaluate(async () => {
      const running = fetch('/api/never').then((response) => response.status);
      while (window.runs === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await window.inference!.stop();
      return running;
    });
    expect(status).toBe(503);
    expect(await page.evaluate(() => window.aborted)).toEqual(['signal']);
    expect((await textOf(page, '/api/who'))[0]).toBe(503);
  });

  it('[U16] a restarted Service Worker answers, and a request before the start waits for it', async () => {
    const page = await openPage();
    await start(page);
    await stopServiceWorkers(page);
    expect(await textOf(page, '/api/who')).toEqual([200, 'page']);
    const fresh = await openPage();
    const early = textOf(fresh, '/api/who');
    await start(fresh, {}, 'fresh');
    expect(await early).toEqual([200, 'fresh']);
  });

  it('[U17] the engine is shared, and answers as ever', async () => {
    const [first, second] = [await openPage(), await openPage()];
    await start(first);
    await start(second);
    const url = `${demoOrigin()}/v1/models`;
    const listed = await second.evaluate(async (address) => (await fetch(address)).text(), url);
    expect(listed).not.toContain('/api/');
    expect((await ask(second, 'quick')).status).toBe(200);
  });
});
