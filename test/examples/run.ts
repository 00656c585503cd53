/**
 * `npm run test:examples [-- name …]`: packs Inpage, installs it in each example as a stranger would, builds the example and uses
 * it in Chromium. Needs the npm registry, and `npm run build:library` before.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { CHROMIUM, launchChromium } from '../e2e/support/launch-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { EXAMPLES, type Example } from './examples.js';

const root = join(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in EXAMPLES));
if (unknown.length > 0) throw new Error(`No such example: ${unknown.join(', ')}`);

const workshop = mkdtempSync(join(tmpdir(), 'inpage-examples-'));
try {
  const tarball = join(workshop, pack());
  for (const [name, example] of Object.entries(EXAMPLES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const folder = install(name, tarball);
    await open(folder, example);
    console.error(`${name}: works`);
    rmSync(folder, { recursive: true });
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

function pack(): string {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('Run `npm run build:library` first.');
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', workshop], root);
  const packed = readdirSync(workshop).find((file) => file.endsWith('.tgz'));
  if (!packed) throw new Error('npm packed nothing.');
  return packed;
}

/** A copy of the example with its packages, built. */
function install(name: string, tarball: string): string {
  const folder = join(workshop, name);
  cpSync(join(root, 'demo/examples', name), folder, { recursive: true });
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball], folder);
  run('npm', ['run', '-s', 'build'], folder);
  return folder;
}

async function open(folder: string, { serve, extensionPage, use }: Example): Promise<void> {
  const served = join(folder, serve);
  if (extensionPage) return openExtension(served, extensionPage, use);
  const server = await serveFolder(served, false);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(server.origin);
    await use(page, () => server.close());
  } finally {
    await browser.close();
    await server.close().catch(() => {});
  }
}

/** Extensions are loaded by a browser with a profile. */
async function openExtension(folder: string, path: string, use: Example['use']): Promise<void> {
  const profile = join(workshop, 'profile');
  mkdirSync(profile);
  // A name without a version, from which the extension's id would follow otherwise.
  const extension = join(workshop, 'extension');
  symlinkSync(folder, extension);
  const context = await chromium.launchPersistentContext(profile, {
    ...CHROMIUM,
    headless: false,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--no-first-run',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  try {
    const page = await context.newPage();
    await page.goto(await extensionURL(page, path));
    await use(page, async () => {});
  } finally {
    await context.close();
  }
}

/** Where the browser put the only extension. */
async function extensionURL(page: Page, path: string): Promise<string> {
  await page.goto('chrome://extensions');
  const id = await page.evaluate(async () => {
    const { chrome } = globalThis as unknown as {
      chrome: { developerPrivate: { getExtensionsInfo(): Promise<{ id: string }[]> } };
    };
    return (await chrome.developerPrivate.getExtensionsInfo())[0]?.id;
  });
  return `chrome-extension://${id}/${path}`;
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
