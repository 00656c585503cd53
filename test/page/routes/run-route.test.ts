import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PageInference } from '../../../src/core/models/page-inference.js';
import type { RouteHandler } from '../../../src/core/models/route-options.js';
import { runRoute } from '../../../src/page/routes/run-route.js';

const KEY = 'POST /api/:id';
const INFERENCE = { baseURL: 'https://app.example/v1' } as PageInference;

let stop = new AbortController();
const reported = vi.fn<(thrown: unknown) => void>();

beforeEach(() => {
  stop = new AbortController();
  vi.stubGlobal('reportError', reported);
});
afterEach(() => {
  reported.mockClear();
  vi.unstubAllGlobals();
});

function run(handler: RouteHandler, init: RequestInit = {}, requestTimeout = 60): Promise<Response> {
  const request = new Request('https://app.example/api/7?q=1', { method: 'POST', ...init });
  const routes = {
    handlers: { [KEY]: handler },
    requestTimeout,
    inference: () => INFERENCE,
    fetch,
    stopped: stop.signal,
  };
  return runRoute(routes, request, { key: KEY, groups: { id: '%37', $: 'a%20b' } });
}

it('[U06] the handler gets the request, and what it needs besides', async () => {
  const response = await run(
    async (request, { params, signal, inference, fetch: ask }) =>
      Response.json([
        request.method,
        request.url,
        await request.json(),
        params,
        signal === request.signal,
        inference,
        typeof ask,
      ]),
    { body: '{"a":1}' },
  );
  expect(await response.json()).toEqual([
    'POST',
    'https://app.example/api/7?q=1',
    { a: 1 },
    { id: '7', '*': 'a%20b' },
    true,
    INFERENCE,
    'function',
  ]);
});

describe('[U07] the response', () => {
  it('is as the handler made it', async () => {
    const response = await run(
      () => new Response('text', { status: 202, statusText: 'Taken', headers: { 'x-own': 'a' } }),
    );
    expect([response.status, response.statusText, response.headers.get('x-own'), await response.text()]).toEqual([
      202,
      'Taken',
      'a',
      'text',
    ]);
  });

  it.each([204, 205, 304])('has no body with %i', async (status) => {
    const response = await run(() => new Response(null, { status }));
    expect([response.status, response.body]).toEqual([status, null]);
  });

  it('is a network error where the handler has one', async () => {
    expect((await run(() => Response.error())).type).toBe('error');
  });

  it('has no body for HEAD, and the handler’s stream is cancelled', async () => {
    const cancel = vi.fn<() => void>();
    const response = await run(() => new Response(new ReadableStream({ cancel })), { method: 'HEAD' });
    expect(response.body).toBeNull();
    expect(cancel).toHaveBeenCalled();
  });
});

describe('[U11] what a handler throws', () => {
  it('is the response when it is one', async () => {
    const thrown = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- as handlers of Remix and SvelteKit do
      throw new Response('no', { status: 403 });
    };
    const response = await run(thrown);
    expect([response.status, await response.text()]).toEqual([403, 'no']);
    expect(reported).not.toHaveBeenCalled();
  });

  it('is 500 without its text, and reported to the page', async () => {
    const error = new Error('secret');
    const response = await run(async () => {
      throw error;
    });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({
      error: { type: 'internal_error' },
      request_id: expect.any(String) as string,
    });
    expect(text).not.toContain('secret');
    expect(reported).toHaveBeenCalledWith(error);
  });

  it.each([undefined, null, 'text', { status: 200 }])(
    'is a TypeError that names the route where it returns %s',
    async (result) => {
      const response = await run(() => result as unknown as Response);
      expect(response.status).toBe(500);
      expect(reported).toHaveBeenCalledWith(
        expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(KEY) as string }),
      );
    },
  );
});

it('[U12] without a response in time it is 408, and the signal aborts', async () => {
  let signal: AbortSignal | undefined;
  const response = await run(
    (request) => {
      ({ signal } = request);
      return new Promise<never>(() => {});
    },
    {},
    0.02,
  );
  expect([response.status, await response.json()]).toEqual([
    408,
    expect.objectContaining({ error: expect.objectContaining({ type: 'timeout_error' }) as object }),
  ]);
  expect(signal?.aborted).toBe(true);
});

it('[U12] reading the body has no deadline', async () => {
  const slow = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      controller.enqueue(new TextEncoder().encode('late'));
      controller.close();
    },
  });
  expect(await (await run(() => new Response(slow), {}, 0.02)).text()).toBe('late');
});

describe('[U10] the caller leaves', () => {
  it('before the response', async () => {
    const caller = new AbortController();
    let signal: AbortSignal | undefined;
    const answered = run(
      (request) => {
        ({ signal } = request);
        return new Promise<never>(() => {});
      },
      { signal: caller.signal },
    );
    caller.abort(new Error('left'));
    await expect(answered).rejects.toThrow('left');
    expect(signal?.aborted).toBe(true);
    expect(reported).not.toHaveBeenCalled();
  });

  it('while the body streams', async () => {
    const caller = new AbortController();
    const cancelled = vi.fn<(reason: unknown) => void>();
    let signal: AbortSignal | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
      cancel: cancelled,
    });
    const response = await run(
      (request) => {
        ({ signal } = request);
        return new Response(body);
      },
      { signal: caller.signal },
    );
    const reader = response.body!.getReader();
    await reader.read();
    const next = reader.read();
    caller.abort(new Error('left'));
    await expect(next).rejects.toThrow('left');
    expect(cancelled).toHaveBeenCalled();
    expect(signal?.aborted).toBe(true);
  });

  it('by cancelling the body', async () => {
    const cancelled = vi.fn<() => void>();
    let signal: AbortSignal | undefined;
    const response = await run((request) => {
      ({ signal } = request);
      return new Response(new ReadableStream({ cancel: cancelled }));
    });
    await response.body!.cancel();
    expect([cancelled.mock.calls.length, signal?.aborted]).toEqual([1, true]);
  });

  it('[U16] stop() aborts what is under way', async () => {
    const answered = run(() => new Promise<never>(() => {}));
    stop.abort();
    await expect(answered).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('[U08] a body', () => {
  it('is asked for a piece when its reader asks for one', async () => {
    let asked = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          asked += 1;
          controller.enqueue(new Uint8Array([asked]));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = (await run(() => new Response(body))).body!.getReader();
    for (let piece = 1; piece <= 3; piece++) expect((await reader.read()).value).toEqual(new Uint8Array([piece]));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBe(3);
  });

  it('that breaks is an error of its reader', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
      pull: (controller) => controller.error(new Error('broken')),
    });
    await expect((await run(() => new Response(broken))).text()).rejects.toThrow('broken');
  });

  it('of texts is an error', async () => {
    const texts = new ReadableStream<string>({ start: (controller) => controller.enqueue('text') });
    await expect((await run(() => new Response(texts as unknown as BodyInit))).text()).rejects.toThrow(TypeError);
  });
});
