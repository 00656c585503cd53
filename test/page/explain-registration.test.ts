import { afterEach, describe, expect, it, vi } from 'vitest';
import { explainRegistration } from '../../src/page/explain-registration.js';

afterEach(() => vi.unstubAllGlobals());

/** @param scripts paths that the app's server has as JavaScript; others are a web page */
function explain(
  page: string,
  scripts: readonly string[],
  text = "TypeError: Failed ('/'): Not found.",
  otherType = 'text/html',
): Promise<string> {
  vi.stubGlobal('document', { baseURI: page });
  vi.stubGlobal('fetch', async (url: URL) => {
    const type = scripts.includes(url.pathname) ? 'text/javascript; charset=utf-8' : otherType;
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

  it('because of its content type names the type, and not a file that is missing', async () => {
    const text = "SecurityError: Failed ('/inpage-sw.js'): The script has an unsupported MIME type ('text/plain').";
    expect(await explain('https://app.test/', [], text, 'text/plain')).toBe(
      "The Service Worker script /inpage-sw.js could not be registered: The script has an unsupported MIME type ('text/plain'). Your server sends it as text/plain. Send .js files as `text/javascript`.",
    );
  });

  it('because it throws is not to be copied: its error is in the console', async () => {
    const text = "TypeError: Failed ('/inpage-sw.js'): ServiceWorker script evaluation failed";
    expect(await explain('https://app.test/', ['/inpage-sw.js'], text)).toBe(
      'The Service Worker script /inpage-sw.js could not be registered: ServiceWorker script evaluation failed. Your server has this script, so look for its error in the console of the browser; or pass `serviceWorker: false`.',
    );
  });

  it('because of the policy names the directive', async () => {
    expect(await explain('https://app.test/', [], 'violates the Content Security Policy')).toContain('`worker-src`');
  });
});
