/** `inpage/built-in-ai` and `inpage/page-tools` of the built package, in pages of the demo. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';

const dist = join(import.meta.dirname, '../../../dist');

/** Serves the entries where pages of the context import them. */
export async function serveEntries(context: BrowserContext): Promise<void> {
  for (const name of ['built-in-ai', 'page-tools'])
    await context.route(`**/${name}.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(dist, `${name}.js`), 'utf8') }),
    );
}

/** Installs in a page of {@link serveEntries}; gives the lists. `window.sent` has the bodies of what is asked from then on. */
export function installIn(page: Page, options: object = {}): Promise<Record<string, string[]>> {
  // As text: this file's own imports are Vite's.
  return page.evaluate(`(async () => {
    const { installBuiltInAI } = await import('/built-in-ai.js');
    const { inference } = window;
    window.sent = [];
    const watched = { ...inference, fetch: (url, init) => (window.sent.push(init?.body), inference.fetch(url, init)) };
    const { installed, kept, missing } = await installBuiltInAI(watched, ${JSON.stringify(options)});
    return { installed, kept, missing };
  })()`);
}
