import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PageInference } from '../../../src/core/models/page-inference.js';
import type { RouteHandler } from '../../../src/core/models/route-options.js';
import { createRouteFetch } from '../../../src/page/routes/route-fetch.js';

const ORIGIN = 'https://app.example';
const otherwise = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.stubGlobal('document', { baseURI: `${ORIGIN}/` });
  vi.stubGlobal('reportError', () => {});
  otherwise.mockImplementation(async () => new Response('elsewhere'));
});
afterEach(() => {
  otherwise.mockReset();
  vi.unstubAllGlobals();
});

function fetchOf(handlers: Record<string, RouteHandler>): typeof fetch {
  const routes = {
    handlers,
    requestTimeout: 60,
    inference: () => ({}) as PageInference,
    fetch: otherwise,
    stopped: new AbortController().signal,
  };
  return createRouteFetch(routes, {
    origin: ORIGIN,
    otherwise,
    toRequest: (input, init) => ({
      request: new Request(input instanceof Request ? input : new URL(input, ORIGIN), init),
    }),
  });
}

it('[U01] [U07] answers, with the address that was asked', async () => {
  const response = await fetchOf({ 'GET /api/:id': (_, { params }) => Response.json(params) })('/api/7');
  expect([response.url, response.redirected, await response.json()]).toEqual([`${ORIGIN}/api/7`, false, { id: '7' }]);
});

it('[U04] leaves what fits no route as it is', async () => {
  const ask = fetchOf({ 'GET /api': () => new Response('') });
  const request = new Request(`${ORIGIN}/other`, { method: 'POST', body: 'text' });
  await ask(request);
  expect(otherwise).toHaveBeenCalledWith(request, undefined);
  expect(request.bodyUsed).toBe(false);
});

it('[U07] a network error is a TypeError', async () => {
  await expect(fetchOf({ '/a': () => Response.error() })('/a')).rejects.toThrow(TypeError);
});

describe('[U09] a redirect', () => {
  const echo: RouteHandler = async (request) =>
    Response.json([
      request.method,
      await request.text(),
      request.headers.get('content-type'),
      request.headers.get('x-own'),
    ]);
  const post = { method: 'POST', body: 'text', headers: { 'x-own': 'a' } };

  it.each([
    [301, 'POST', ['GET', '', null, 'a']],
    [302, 'POST', ['GET', '', null, 'a']],
    [303, 'POST', ['GET', '', null, 'a']],
    [303, 'PUT', ['GET', '', null, 'a']],
    [301, 'PUT', ['PUT', 'text', 'text/plain;charset=UTF-8', 'a']],
    [307, 'POST', ['POST', 'text', 'text/plain;charset=UTF-8', 'a']],
    [308, 'PUT', ['PUT', 'text', 'text/plain;charset=UTF-8', 'a']],
  ])('%i of a %s', async (status, method, expected) => {
    const ask = fetchOf({ '/from': () => new Response(null, { status, headers: { location: '/to' } }), '/to': echo });
    const response = await ask('/from', { ...post, method });
    expect([response.url, response.redirected, await response.json()]).toEqual([`${ORIGIN}/to`, true, expected]);
  });

  it('goes to the service or the network, too', async () => {
    const response = await fetchOf({ '/from': () => Response.redirect(`${ORIGIN}/else`) })('/from');
    expect([response.redirected, response.url, await response.text()]).toEqual([true, `${ORIGIN}/else`, 'elsewhere']);
  });

  it('is followed 20 times', async () => {
    let count = 0;
    const ask = fetchOf({
      '/:n': (_, { params }) =>
        ++count > Number(params['n']) ? new Response('end') : Response.redirect(`${ORIGIN}/${params['n']}`),
    });
    expect(await (await ask('/20')).text()).toBe('end');
    count = 0;
    await expect(ask('/21')).rejects.toThrow(TypeError);
  });

  it('is shown, or an error, as it is asked', async () => {
    const ask = fetchOf({ '/from': () => Response.redirect(`${ORIGIN}/to`) });
    const { type, status, ok, url } = await ask('/from', { redirect: 'manual' });
    expect([type, status, ok, url]).toEqual(['opaqueredirect', 0, false, `${ORIGIN}/from`]);
    await expect(ask('/from', { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  it('without a location is the response', async () => {
    expect((await fetchOf({ '/from': () => new Response(null, { status: 302 }) })('/from')).status).toBe(302);
  });

  it('to another protocol is an error', async () => {
    const ask = fetchOf({ '/from': () => new Response(null, { status: 302, headers: { location: 'data:,x' } }) });
    await expect(ask('/from')).rejects.toThrow(TypeError);
  });
});

it('[U10] an abort before the response rejects at once with its reason', async () => {
  const left = new AbortController();
  const asked = fetchOf({ '/slow': () => new Promise<never>(() => {}) })('/slow', { signal: left.signal });
  left.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
});
