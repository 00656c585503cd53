/** What the operator of a server reads about a service that cannot be reached: nothing of pages. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reachAdvice } from '../../../src/engines/upstream/reach-advice.js';

// Node 20 has none, and other tests of this process make one.
beforeEach(() => void vi.stubGlobal('navigator', undefined));
afterEach(() => void vi.unstubAllGlobals());

/** As Node's fetch throws it. */
function failed(code: string, message: string = code): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

const URL_OF_SERVICE = new URL('https://llm.example:8443/v1');

describe('[Y43] a service that cannot be reached from Node', () => {
  it.each([
    ['ENOTFOUND', /Its name llm\.example is not known here.*DNS/],
    ['EAI_AGAIN', /DNS/],
    ['ECONNREFUSED', /Nothing listens on port 8443 there.*running/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /must begin with http:\/\//],
    ['UND_ERR_CONNECT_TIMEOUT', /firewall or a proxy.*NODE_USE_ENV_PROXY/],
    ['EHOSTUNREACH', /firewall or a proxy/],
    ['UND_ERR_SOCKET', /Check that it is running, its name, its port and its certificate/],
  ])('%s', (code, says) => {
    const advice = reachAdvice(URL_OF_SERVICE, failed(code));
    expect(advice).toMatch(says);
    expect(advice).not.toMatch(/CORS|connect-src|page/);
  });

  it('looks into each address that was tried', () => {
    const tried = new AggregateError([failed('ECONNREFUSED'), failed('ECONNREFUSED')], '');
    expect(reachAdvice(new URL('http://x.example/v1'), new TypeError('fetch failed', { cause: tried }))).toContain(
      'port 80 ',
    );
  });

  it('knows what Node itself throws: nobody listens, a redirect', async () => {
    const server = createServer((_request, response) => void response.writeHead(302, { location: '/v2' }).end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    const thrown = (): Promise<unknown> =>
      fetch(url, { redirect: 'error' }).then(
        () => undefined,
        (cause: unknown) => cause,
      );
    expect(reachAdvice(url, await thrown())).toContain('redirect');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(reachAdvice(url, await thrown())).toContain(`Nothing listens on port ${url.port} there`);
  });

  it('a page is told what a page can do', () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
    expect(reachAdvice(URL_OF_SERVICE, new TypeError('Failed to fetch'))).toMatch(/CORS.*`connect-src` of this page$/);
  });
});
