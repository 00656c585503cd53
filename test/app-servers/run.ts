/**
 * `npm run test:app-servers [-- name …]`: packs Inpage, installs it in a Next.js and in a Hono app as a stranger would, starts
 * their servers with `inpage/test-server/register`, and asks them from the pages of two tests at a time. Needs the npm registry,
 * and `npm run build:library` before.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { freePort } from '../support/free-port.js';
import { npmPack } from '../support/npm-pack.js';
import { tryApp } from './try-app.js';

/** How long a server may take until it answers. */
const START_MS = 120_000;

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
)) as typeof import('../../src/node/playwright/index.js');

const workshop = mkdtempSync(join(tmpdir(), 'inpage-app-servers-'));
const browser = await launchChromium();
try {
  const library = await npmPack(root, workshop);
  for (const [name, { folder, build, start }] of Object.entries(APPS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const app = join(workshop, folder);
    if (!existsSync(app)) install(folder, app, library);
    if (build)
      execFileSync(process.execPath, build, { cwd: app, env: environment(), stdio: ['ignore', 'ignore', 'inherit'] });
    const port = await freePort();
    const server = spawn(process.execPath, start, {
      cwd: app,
      // With its children, which it does not always take along.
      detached: true,
      env: { ...environment(), PORT: String(port), NODE_OPTIONS: '--import inpage/test-server/register' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      await listening(server, port);
      await tryApp(`http://localhost:${port}`, { browser, installInference });
      console.error(`${name}: works`);
    } finally {
      const ended = once(server, 'exit');
      process.kill(-server.pid!, 'SIGKILL');
      await ended;
    }
  }
} finally {
  await browser.close();
  rmSync(workshop, { recursive: true, force: true });
}

function install(folder: string, app: string, library: string): void {
  cpSync(join(import.meta.dirname, folder), app, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, library], { cwd: app, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** A stranger's shell has no NODE_ENV; what runs this script sets one, with which Next.js does not build. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, ...others } = process.env;
  return { ...others, NEXT_TELEMETRY_DISABLED: '1' };
}

/** Resolves when it answers. @throws Error with what it wrote, when it ends before */
async function listening(server: ChildProcess, port: number): Promise<void> {
  let written = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => (written += text));
  const deadline = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(`http://localhost:${port}/`).catch(() => undefined);
    if (answer?.ok) return;
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start.\n${written}`);
    await pause(200);
  }
}
