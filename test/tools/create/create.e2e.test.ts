/** `npm create inpage` from its packed file: each app is built from the packed library and used. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { withContexts } from '../../e2e/support/shared-chromium.js';
import { type RunScript, TEMPLATES } from '../../examples/templates.js';
import { npmPack, unpack } from '../../support/npm-pack.js';

const root = join(import.meta.dirname, '../../..');
const workshop = mkdtempSync(join(tmpdir(), 'inpage-create-'));
const run = promisify(execFile);
let library: string;
let program: string;
let openPage: () => ReturnType<import('playwright').BrowserContext['newPage']>;

beforeAll(async () => {
  library = await npmPack(root, workshop);
  const { bin } = await unpack(await npmPack(join(root, 'dist-create'), workshop), join(workshop, 'create-inpage'));
  program = join(workshop, 'create-inpage', bin['create-inpage']!);
});
afterAll(() => rmSync(workshop, { recursive: true }));
withContexts((context) => {
  openPage = () => context.newPage();
});

const create = (...args: string[]) => run(process.execPath, [program, ...args], { cwd: workshop });

/** Installs what the app asks for: Inpage from its packed file, all else from where this project has it. */
async function install(app: string): Promise<void> {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(app, 'package.json'), 'utf8'),
  ) as typeof packageJson & { dependencies?: Record<string, string> };
  const names = Object.keys({ ...dependencies, ...devDependencies });
  for (const name of names.includes('@playwright/test') ? [...names, 'playwright'] : names) {
    const target = join(app, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    if (name === 'inpage') await unpack(library, target);
    else symlinkSync(join(root, 'node_modules', name), target);
  }
}

/** npm, with the commands of the packages that are installed. */
const npmIn =
  (cwd: string): RunScript =>
  async (...words) => {
    const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`;
    // A new shell has no NODE_ENV, with which Vite would build for development.
    const ended = run('npm', words, { cwd, env: { ...process.env, NODE_ENV: undefined, PATH } });
    await ended.catch((failure: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${failure.message}\n${failure.stdout}`, { cause: failure });
    });
  };

// All templates are a part of `npm run outside -- examples`, which takes what they need from the registry: Next.js is too large for this
// project's packages, and React's is built as the plain one is.
it.each(['vanilla', 'playwright'])('the app made from `%s` works with the packed library', async (name) => {
  const app = join(workshop, `my-${name}`);
  const { stdout } = await create(`my-${name}`, '--template', name);
  expect(stdout).toContain(`cd my-${name}`);
  await install(app);
  await TEMPLATES[name]!(app, npmIn(app), await openPage());
  rmSync(app, { recursive: true });
});

it('the packed program knows its version and all templates, and has nothing else in it', async () => {
  expect(await create('--version')).toEqual({ stdout: `${packageJson.version}\n`, stderr: '' });
  const { stdout } = await create('--help');
  for (const name of Object.keys(TEMPLATES)) expect(stdout).toContain(name);
  expect(readdirSync(dirname(program)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'index.js',
    'package.json',
    'run-create.js',
  ]);
});
