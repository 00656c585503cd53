/** Guides, each followed word for word in an app as the framework's own program makes it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';
import { readDocument } from '../docs/support/code-blocks.js';
import type { Example } from './examples.js';

/** How an app of the guide is made, built and opened. */
export interface Guide extends Example {
  /** Page of the guide, and its chapters; undefined: what comes before the first. */
  page: string;
  headings: (string | undefined)[];
  /** The program that makes an app in the folder `app`, and its arguments. */
  create?: string[];
  /** What such a program would write, where it needs more than the registry. */
  files?: Record<string, string>;
  /** Packages besides Inpage that the guide's code needs. */
  packages?: string[];
  /** What of the guide belongs into a file that is there already. */
  merge?: (folder: string, blocks: readonly GuideBlock[]) => void;
}

/** A block of code in a guide, and the file that its first line names. */
interface GuideBlock {
  language: string;
  code: string;
  file?: string;
}

/** The names of the bundled models, which most guides show. */
async function showsModels(page: Page): Promise<void> {
  await page.getByText('tiny-chat').waitFor({ timeout: 60_000 });
}

const PACKAGE = (name: string, dependencies: Record<string, string>): Record<string, string> => ({
  'package.json': JSON.stringify({ name, private: true, type: 'module', dependencies }),
});

const FRAMEWORKS = 'demo/docs/install-frameworks.md';

export const GUIDES: Record<string, Guide> = {
  sveltekit: {
    page: FRAMEWORKS,
    headings: ['SvelteKit'],
    create: ['sv@latest', 'create', 'app', '--template', 'minimal', '--no-types', '--no-add-ons', '--no-install'],
    start: ['npx', 'vite', 'preview', '--port'],
    use: showsModels,
  },
  routes: {
    page: 'demo/docs/routes.md',
    headings: [undefined],
    create: ['create-vite@latest', 'app', '--template', 'react-ts', '--no-interactive'],
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
    files: PACKAGE('app', {}),
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
