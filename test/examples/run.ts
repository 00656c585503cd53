/**
 * `npm run test:examples [-- name …]`: packs Inpage, installs it in each example, in an app from each template of
 * `create-inpage` and in one for each guide of `guides.ts` as a stranger would, builds the app and uses it in Chromium. Needs
 * the npm registry, and `npm run build:library` before.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { npmPack, unpack } from '../support/npm-pack.js';
import { EXAMPLES } from './examples.js';
import { follow, GUIDES } from './guides.js';
import { openExample } from './open-example.js';
import { TEMPLATES } from './templates.js';

const root = join(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);
/** What an app from a template is called in the arguments. */
const created = (template: string): string => `create-${template}`;
/** What an app that follows a guide is called there. */
const guided = (guide: string): string => `guide-${guide}`;
const names = [...Object.keys(EXAMPLES), ...Object.keys(TEMPLATES).map(created), ...Object.keys(GUIDES).map(guided)];
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`No such example: ${unknown.join(', ')}`);
if (!existsSync(join(root, 'dist/index.js'))) throw new Error('Run `npm run build:library` first.');

const workshop = mkdtempSync(join(tmpdir(), 'inpage-examples-'));
try {
  const library = await npmPack(root, workshop);
  for (const [name, example] of Object.entries(EXAMPLES)) {
    await test(name, async (folder) => {
      cpSync(join(root, 'demo/examples', name), folder, { recursive: true });
      install(folder, library);
      run('npm', ['run', '-s', 'build'], folder);
      await openExample(folder, example);
    });
  }
  const program = join(workshop, 'create-inpage');
  const { bin } = await unpack(await npmPack(join(root, 'dist-create'), workshop), program);
  for (const [template, use] of Object.entries(TEMPLATES)) {
    await test(created(template), async (folder) => {
      run('node', [join(program, bin['create-inpage']!), folder, template], workshop);
      install(folder, library);
      const browser = await launchChromium();
      try {
        const npm = async (...words: string[]): Promise<void> => run('npm', words, folder);
        await use(folder, npm, await browser.newPage());
      } finally {
        await browser.close();
      }
    });
  }
  for (const [name, guide] of Object.entries(GUIDES)) {
    await test(guided(name), async (folder) => {
      const app = join(folder, 'app');
      mkdirSync(app, { recursive: true });
      if (guide.create) run('npx', ['--yes', ...guide.create], folder);
      follow(app, guide);
      install(app, library, ...(guide.packages ?? []));
      run('npm', ['run', '-s', 'build'], app);
      await openExample(app, guide);
    });
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

/** @param use makes the app in this folder, and rejects when it does not do what it should */
async function test(name: string, use: (folder: string) => Promise<void>): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const folder = join(workshop, name);
  await use(folder);
  console.error(`${name}: works`);
  rmSync(folder, { recursive: true });
}

/** The app's packages, with these: the packed library, and what else it needs. */
function install(folder: string, ...packages: string[]): void {
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...packages], folder);
}

function run(command: string, args: string[], cwd: string): void {
  // A stranger's shell has no NODE_ENV; what runs this script sets one, with which Next.js does not build.
  const env = { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}
