/** Guides, each followed word for word in an app as the framework's own program makes it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';
import { readDocument } from '../docs/support/code-blocks.js';
import { askBundledModels } from './ask-bundled-models.js';
import type { Example } from './examples.js';

/** How an app of the guide is made, built and opened. */
export interface Guide extends Example {
  /** Page of the guide, and its chapters; undefined: what comes before the first. */
  page: string;
  headings: (string | undefined)[];
  /** The guide's own command that makes an app, in the folder `app`, and with what asks no questions. */
  create?: string[];
  /** What such a program would write, where it needs more than the registry. */
  files?: Record<string, string>;
  /** Packages besides Inpage that the guide's code needs. */
  packages?: string[];
  /** What of the guide belongs into a file that is there already. */
  merge?: (folder: string, blocks: readonly GuideBlock[]) => void;
  /** How the development server is started; the port comes behind it. */
  dev?: string[];
  /** The major version of Node that the framework needs, where it is above ours. */
  node?: number;
}

/** A block of code in a guide, and the file that its first line names. */
interface GuideBlock {
  language: string;
  code: string;
  file?: string;
}

/** Development servers compile a page when it is asked for. */
const FIRST_PAGE = { timeout: 60_000 };

/** The names of the bundled models, which most guides show; and the models answer. */
async function showsModels(page: Page): Promise<void> {
  await page.getByText('tiny-chat').waitFor(FIRST_PAGE);
  await askBundledModels(page, ['tiny-chat', 'tiny-embed']);
}

const NPM_RUN_DEV = ['npm', 'run', 'dev', '--', '--port'];

/** @param scripts besides those of the guide */
const packageJson = (scripts = {}): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'app', private: true, type: 'module', scripts }),
});

const INSTALL = 'demo/docs/install.md';
const FRAMEWORKS = 'demo/docs/install-frameworks.md';

const CREATE_VITE = createdBy('React', '--no-interactive');

export const GUIDES: Record<string, Guide> = {
  webpack: {
    page: INSTALL,
    headings: ['webpack and others'],
    files: {
      ...packageJson({
        dev: 'inpage init public && webpack serve --mode development',
        build: 'inpage init public && webpack --mode production',
      }),
      'public/index.html': '<!doctype html><script src="/main.js"></script>',
      'src/main.js': blocksOf(INSTALL, 'Ways to use it')[0]!.code,
    },
    packages: ['webpack', 'webpack-cli', 'webpack-dev-server'],
    dev: NPM_RUN_DEV,
    serve: 'public',
    async use(page) {
      const logsAnswer = page.waitForEvent('console', async (message) =>
        JSON.stringify(await message.args()[0]?.jsonValue()).includes('Paris'),
      );
      await page.reload();
      await logsAnswer;
      await askBundledModels(page, ['tiny-chat', 'tiny-embed']);
    },
  },
  react: {
    page: FRAMEWORKS,
    headings: ['React'],
    create: CREATE_VITE,
    dev: NPM_RUN_DEV,
    serve: 'dist',
    use: showsModels,
  },
  'react-effect': {
    page: FRAMEWORKS,
    headings: ['React'],
    create: CREATE_VITE,
    merge(folder) {
      const main = `import { StrictMode } from 'react';
        import { createRoot } from 'react-dom/client';
        import { Answer } from './answer';
        createRoot(document.querySelector('#root')!).render(<StrictMode><Answer /></StrictMode>);`;
      write(folder, 'src/main.tsx', main);
    },
    dev: NPM_RUN_DEV,
    serve: 'dist',
    use: (page) => page.getByText('Paris').waitFor(FIRST_PAGE),
  },
  next: {
    page: FRAMEWORKS,
    headings: ['Next.js'],
    // Not the default page: it needs fonts of Google.
    create: createdBy('Next.js', '--empty', '--skip-install', '--disable-git'),
    dev: NPM_RUN_DEV,
    async use(page) {
      await page.getByText('ready', { exact: true }).waitFor(FIRST_PAGE);
      if (!(await page.evaluate(() => crossOriginIsolated))) throw new Error('The page has no threads.');
      await askBundledModels(page, ['tiny-chat']);
    },
  },
  sveltekit: {
    page: FRAMEWORKS,
    headings: ['SvelteKit'],
    create: createdBy('SvelteKit', '--no-add-ons', '--no-install'),
    dev: NPM_RUN_DEV,
    start: ['npx', 'vite', 'preview', '--port'],
    use: showsModels,
  },
  nuxt: {
    page: FRAMEWORKS,
    headings: ['Nuxt'],
    // `create-nuxt` takes its template from GitHub. These are what the template has besides the guide's.
    files: packageJson(),
    packages: ['nuxt@latest', 'vue@latest', 'vue-router@latest'],
    node: 22,
    dev: NPM_RUN_DEV,
    start: ['node', '.output/server/index.mjs'],
    use: showsModels,
  },
  astro: {
    page: FRAMEWORKS,
    headings: ['Astro'],
    // So does `create-astro`.
    files: packageJson(),
    packages: ['astro@latest'],
    node: 22,
    dev: NPM_RUN_DEV,
    serve: 'dist',
    use: showsModels,
  },
  angular: {
    page: FRAMEWORKS,
    headings: ['Angular'],
    create: createdBy('Angular', '--skip-git', '--skip-install'),
    merge(folder, blocks) {
      const assets = blocks.find(({ code }) => code.includes('"glob"'))!.code;
      const path = join(folder, 'angular.json');
      const text = readFileSync(path, 'utf8');
      write(folder, 'angular.json', text.replace('"assets": [', `"assets": [${assets},`));
    },
    node: 22,
    dev: ['npm', 'start', '--', '--port'],
    serve: 'dist/app/browser',
    use: showsModels,
  },
  routes: {
    page: 'demo/docs/routes.md',
    headings: [undefined],
    create: CREATE_VITE,
    packages: ['ai', '@ai-sdk/react', '@ai-sdk/openai-compatible'],
    files: { 'vite.config.ts': blocksOf(FRAMEWORKS, 'React').find(({ file }) => file === 'vite.config.ts')!.code },
    serve: 'dist',
    async use(page) {
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Paris').waitFor();
    },
  },
  extension: {
    page: 'demo/docs/extensions.md',
    headings: ['The files', 'Content scripts', 'Web pages'],
    files: packageJson(),
    packages: ['vite'],
    merge(folder, blocks) {
      const parts = blocks.filter(({ language, code }) => language === 'json' && !code.includes('"scripts"'));
      const manifest = Object.assign({}, ...parts.map(({ code }) => JSON.parse(code) as object)) as object;
      write(folder, 'public/manifest.json', JSON.stringify(manifest));
      const config = blocks.find(({ file }) => file === 'vite.config.js')!.code;
      write(folder, 'vite.config.js', config.replace("'popup.html'", "'popup.html', 'consent.html'"));
    },
    serve: 'dist',
    extensionPage: 'popup.html',
    use: (page) => page.getByText('Paris').waitFor({ timeout: 60_000 }),
  },
};

/** The first command of a chapter, which creates an app. @param flags what it needs to ask no questions, and to do no more */
function createdBy(heading: string, ...flags: string[]): string[] {
  const shell = blocksOf(FRAMEWORKS, heading).find(({ language }) => language === 'sh');
  const [command = ''] = shell!.code.replace('my-app', 'app').split('\n');
  return [...command.split(' '), ...flags];
}

/** The blocks below a heading of a page. @param heading undefined: those before the first */
function blocksOf(page: string, heading: string | undefined): GuideBlock[] {
  const chapters = readDocument(page).split(/^## /m);
  const chapter = heading === undefined ? chapters[0] : chapters.find((text) => text.startsWith(`${heading}\n`));
  if (chapter === undefined) throw new Error(`${page} has no chapter "${heading}".`);
  return [...chapter.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)].map(([, language = '', code = '']) => {
    const file = /^(?:\/\/|<!--) ([\w@+./-]+\.\w+)\b/.exec(code)?.[1];
    return { language, code, ...(file !== undefined && { file }) };
  });
}

/** Writes what the guide says into the app. */
export function follow(folder: string, { page, headings, files = {}, merge }: Guide): void {
  const blocks = headings.flatMap((heading) => blocksOf(page, heading));
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  for (const { file, code } of blocks) if (file !== undefined) write(folder, file, code);
  merge?.(folder, blocks);
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { scripts?: object };
  for (const { code, language } of blocks) {
    if (language !== 'json' || !code.includes('"scripts"')) continue;
    manifest.scripts = { ...manifest.scripts, ...(JSON.parse(code) as { scripts: object }).scripts };
  }
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
