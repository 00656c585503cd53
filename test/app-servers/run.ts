/**
 * `npm run outside -- app-servers [name …]`: packs Inpage, installs it in a Next.js and in a Hono app as a stranger would, starts
 * their servers with `inpage/test-server/register`, and asks them from the pages of two tests at a time. Needs the npm registry,
 * and `npm run build:library` before.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { npmPack } from '../support/npm-pack.js';
import { startServer } from '../support/start-server.js';
import { npmInstall, runAsStranger } from '../support/stranger.js';
import { tryApp } from './try-app.js';

const NEXT = 'node_modules/next/dist/bin/next';
const APPS: Record<string, { folder: string; build?: string[]; start: string[] }> = {
  hono: { folder: 'hono', start: ['server.mjs'] },
  next: { folder: 'next', build: [NEXT, 'build'], start: [NEXT, 'start'] },
  'next-dev': { folder: 'next', start: [NEXT, 'dev'] },
};

const root = join(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in APPS));
if (unknown.length > 0) throw new Error(`No such app: ${unknown.join(', ')}`);
if (!existsSync(join(root, 'dist/index.js'))) throw new Error('Run `npm run build:library` first.');
const { installInference } = (await import(
  join(root, 'dist/playwright.js')
)) as typeof import('../../src/testing/playwright/index.js');

const workshop = mkdtempSync(join(tmpdir(), 'inpage-app-servers-'));
const browser = await launchChromium();
try {
  const library = await npmPack(root, workshop);
  for (const [name, { folder, build, start }] of Object.entries(APPS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const app = join(workshop, folder);
    if (!existsSync(app)) {
      cpSync(join(import.meta.dirname, folder), app, { recursive: true });
      npmInstall(app, [library]);
    }
    if (build) runAsStranger(process.execPath, build, app);
    const env = { NODE_OPTIONS: '--import inpage/test-server/register' };
    const server = await startServer(app, [process.execPath, ...start], env);
    try {
      await tryApp(server.origin, { browser, installInference });
      console.error(`${name}: works`);
    } finally {
      await server.close();
    }
  }
} finally {
  await browser.close();
  rmSync(workshop, { recursive: true, force: true });
}
