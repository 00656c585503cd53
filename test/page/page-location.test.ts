/** Pages below whose address no service can lie. */
import { afterEach, expect, it, vi } from 'vitest';
import { pageLocation } from '../../src/core/errors/page-location.js';
import { pageServiceWorkers } from '../../src/core/platform/service-worker-container.js';

afterEach(() => void vi.unstubAllGlobals());

function openPage(href: string, origin: string): void {
  const { protocol } = new URL(href);
  vi.stubGlobal('document', { baseURI: href });
  vi.stubGlobal('location', { href, protocol, origin });
  vi.stubGlobal('origin', origin);
}

it.each([
  ['file:///app/index.html', 'null', /opened as a file.*web server/],
  ['about:srcdoc', 'http://localhost', /srcdoc.*`src`/],
  ['blob:http://localhost/8a', 'http://localhost', /blob.*`inference\.fetch`/],
  ['data:text/html,x', 'null', /data/],
  ['http://localhost/', 'null', /sandboxed.*`allow-same-origin`/],
])('%s (origin %s) is told why', (href, origin, message) => {
  openPage(href, origin);
  const told = expect.stringMatching(message) as string;
  expect(() => pageLocation('startInference')).toThrow(expect.objectContaining({ code: 'unavailable', message: told }));
});

it.each([
  ['http://localhost:8080/a', 'http://localhost:8080'],
  ['https://app.example/', 'https://app.example'],
  ['chrome-extension://abc/page.html', 'chrome-extension://abc'],
  ['app://obsidian.md/index.html', 'app://obsidian.md'],
])('%s runs', (href, origin) => {
  openPage(href, origin);
  expect(pageLocation('startInference')).toEqual({ origin, pageURL: href });
});

it('a page where the question for Service Workers throws has none', () => {
  vi.stubGlobal('navigator', {
    get serviceWorker(): never {
      throw new DOMException('Sandboxed.', 'SecurityError');
    },
  });
  expect(pageServiceWorkers()).toBeUndefined();
});
