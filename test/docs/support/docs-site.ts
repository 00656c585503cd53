/** What the documents' code needs around it: a site as `npx inpage init` makes it, and its packages as modules. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformWithOxc } from 'vite';
import { type CodeBlock, root } from './code-blocks.js';

/** Below the project, so that its packages and its own name are found. */
export const workshop = join(root, 'test-results/docs');

const CLI = join(root, 'dist/cli.js');

/** The page without a bundler: the package's own files, and an import map. */
export async function makeSite(blocks: readonly CodeBlock[]): Promise<string> {
  const site = join(emptyFolder('site'), 'public');
  execFileSync(process.execPath, [CLI, 'init', site]);
  symlinkSync(join(root, 'dist'), join(site, 'package'));
  const imports: Record<string, string> = {
    inpage: '/package/index.js',
    'inpage/built-in-ai': '/package/built-in-ai.js',
    'inpage/elements': '/package/elements.js',
    'inpage/page-tools': '/package/page-tools.js',
    'inpage/uninstall': '/package/uninstall.js',
  };
  const packages = new Set(blocks.flatMap(importsOf).filter((name) => !name.startsWith('inpage')));
  for (const name of packages) imports[name] = await bundlePackage(name, site);
  writeFileSync(
    join(site, 'index.html'),
    `<!doctype html><title>Documents</title><script type="importmap">${JSON.stringify({ imports })}</script><body><inpage-models></inpage-models><inpage-chat></inpage-chat></body>`,
  );
  return site;
}

/** Puts a block where the site serves it; returns its path there. */
export async function putBlock({ page, line, code, language }: CodeBlock, site: string): Promise<string> {
  const name = `${page.replaceAll(/[^\w]/g, '-')}-${line}`;
  writeFileSync(join(site, `${name}.js`), (await transformWithOxc(code, `${name}.${language}`, { lang: 'ts' })).code);
  return `/${name}.js`;
}

/** Packages that a block imports. */
export function importsOf({ code }: CodeBlock): string[] {
  return [...code.matchAll(/^import .*?from '([^'./][^']*)';$/gm)].map(([, name = '']) => name);
}

/** An empty folder of the workshop. */
export function emptyFolder(name: string): string {
  const folder = join(workshop, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function bundlePackage(name: string, site: string): Promise<string> {
  const fileName = `${name.replaceAll(/[^\w]/g, '-')}.js`;
  await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    build: {
      outDir: join(site, 'packages'),
      emptyOutDir: false,
      minify: false,
      lib: { entry: fileURLToPath(import.meta.resolve(name)), formats: ['es'], fileName: () => fileName },
    },
  });
  return `/packages/${fileName}`;
}
