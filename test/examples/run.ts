/**
 * `npm run outside -- examples [name …]`: packs Inpage, installs it in each example, in an app from each template of
 * `create-inpage` and in one for each guide of `guides.ts` as a stranger would, builds the app and uses it in Chromium. Needs
 * the npm registry, and `npm run build:library` before.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../e2e/support/launch-chromium.js';
import { npmPack, unpack } from '../support/npm-pack.js';
import { npmInstall, runAsStranger, withNode } from '../support/stranger.js';
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
      npmInstall(folder, [library]);
      runAsStranger('npm', ['run', '-s', 'build'], folder);
      await openExample(folder, example);
    });
  }
  const program = join(workshop, 'create-inpage');
  const { bin } = await unpack(await npmPack(join(root, 'dist-create'), workshop), program);
  for (const [template, use] of Object.entries(TEMPLATES)) {
    await test(created(template), async (folder) => {
      runAsStranger('node', [join(program, bin['create-inpage']!), folder, template], workshop);
      npmInstall(folder, [library]);
      const browser = await launchChromium();
      try {
        const npm = async (...words: string[]): Promise<void> => runAsStranger('npm', words, folder);
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
      const answers = { npm_config_yes: 'true', NG_CLI_ANALYTICS: 'false' };
      const env = { ...answers, ...(guide.node && withNode(guide.node, workshop)) };
      const [command, ...words] = guide.create ?? [];
      if (command) runAsStranger(command, words, folder, env);
      follow(app, guide);
      npmInstall(app, [library, ...(guide.packages ?? [])], env);
      if (guide.dev) {
        const { dev: start, use } = guide;
        await openExample(app, { start, use }, env);
      }
      runAsStranger('npm', ['run', '-s', 'build'], app, env);
      await openExample(app, guide, env);
    });
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

/** @param use makes the app in this folder, and rejects when it does not do what it should */
async function test(name: string, use: (folder: string) => Promise<void>): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const folder = join(workshop, name);
  try {
    await use(folder);
    console.error(`${name}: works`);
  } catch (thrown) {
    // The others are tried all the same.
    process.exitCode = 1;
    console.error(`${name}: does not work.\n`, thrown);
  }
  rmSync(folder, { recursive: true, force: true });
}
