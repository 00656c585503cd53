import { afterEach, describe, expect, it, vi } from 'vitest';
import { explainRegistration } from '../../src/page/explain-registration.js';

afterEach(() => vi.unstubAllGlobals());

/** @param scripts paths that the app's server has as JavaScript; others are a web page */
function explain(
  page: string,
  scripts: readonly string[],
  text = "TypeError: Failed ('/'): Not found.",
): Promise<string> {
  vi.stubGlobal('document', { baseURI: page });
  vi.stubGlobal('fetch', async (url: URL) => {
    const type = scripts.includes(url.pathname) ? 'text/javascript; charset=utf-8' : 'text/html';
    return new Response('', { headers: { 'content-type': type } });
  });
  return explainRegistration(text, new URL('/inpage-sw.js', page));
}

describe('a Service Worker that cannot be registered', () => {
  it('of an app below /app/ is named where the app has it', async () => {
    expect(await explain('https://app.test/app/index.html', ['/app/inpage-sw.js'])).toBe(
      "The Service Worker script /inpage-sw.js could not be registered: Not found. Your app has it at /app/inpage-sw.js: pass `serviceWorker: '/app/inpage-sw.js'`.",
    );
  });

  it.each(['https://app.test/app/', 'https://app.test/'])(
    'on %s is to be copied where the app has none',
    async (page) => {
      expect(await explain(page, [])).toMatch(/^The Service Worker script \/inpage-sw\.js .* `npx inpage init public`/);
    },
  );

  it('because of the policy names the directive', async () => {
    expect(await explain('https://app.test/', [], 'violates the Content Security Policy')).toContain('`worker-src`');
  });
});
