/** What there is to see of each template of `create-inpage`, once its packages are installed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { executablePath } from '../support/chromium.js';
import { freePort } from '../support/free-port.js';
import { startServer } from '../support/start-server.js';

/** How a script of the app's package.json is run. @throws Error with what it printed when it fails */
export type RunScript = (...words: string[]) => Promise<void>;

/** Builds the app and uses it; rejects when it does not do what it should. */
export type UseTemplate = (folder: string, npm: RunScript, page: Page) => Promise<void>;

async function askFrance(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByRole('status').getByText('Paris').waitFor();
}

const useSite: UseTemplate = async (folder, npm, page) => {
  await npm('run', 'build');
  const server = await serveFolder(join(folder, 'dist'));
  try {
    await askFrance(page, server.origin);
  } finally {
    await server.close();
  }
};

export const TEMPLATES: Record<string, UseTemplate> = {
  vanilla: useSite,
  react: useSite,
  async next(folder, npm, page) {
    await npm('run', 'build');
    const server = await startServer(folder);
    try {
      await askFrance(page, server.origin);
    } finally {
      await server.close();
    }
  },
  async playwright(folder, npm) {
    // Another app may have the port.
    const config = join(folder, 'playwright.config.ts');
    writeFileSync(config, readFileSync(config, 'utf8').replace('5173', String(await freePort())));
    // Nobody downloads a browser for this test.
    const launchOptions = { ...(executablePath && { executablePath }), args: ['--no-sandbox'] };
    writeFileSync(
      join(folder, 'test.config.ts'),
      `import config from './playwright.config.ts';
      export default { ...config, use: { ...config.use, launchOptions: ${JSON.stringify(launchOptions)} } };`,
    );
    await npm('test', '--', '--config', 'test.config.ts');
  },
};
