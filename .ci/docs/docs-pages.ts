/**
 * The README and `demo/docs/*.md` as pages of the demo, below `/docs/`. The same files are read on GitHub, so links between
 * them name Markdown files, and are turned here into links between pages.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import type { Plugin } from 'vite';
import { llmsText, markdownName } from './llms-text.js';
import { type LinkedPage, pageName, renderPage, searchSections } from './render-page.js';

const root = join(import.meta.dirname, '../..');
const folder = 'demo/docs';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

/** A file's path below `/docs/`: a page as HTML, a picture, the script of the pages or what it searches. */
export type DocsFile = { name: string; source: string | Uint8Array };

/** All pages, and what they load. */
export function docsFiles(): DocsFile[] {
  const paths = ['README.md', ...markdownNames().map((name) => `${folder}/${name}`)];
  const others = readdirSync(join(root, folder)).filter((name) => /\.(png|js)$/.test(name));
  const style = ['demo/styles/base.css', `${folder}/docs.css`]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('');
  const navigation = [{ title: 'Overview', path: 'README.md', isPart: false }, ...linkedPages()];
  const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  return [
    ...pages.map(({ path, text }) => ({ name: pageName(path), source: renderPage({ path, text }, navigation, style) })),
    ...pages.map(({ path, text }) => ({ name: markdownName(path), source: text })),
    { name: 'llms.txt', source: llmsText(pages, navigation) },
    { name: 'search.json', source: JSON.stringify(pages.flatMap(searchSections)) },
    ...others.map((name) => ({ name, source: readFileSync(join(root, folder, name)) })),
  ];
}

/** Serves the pages in development and emits them in a build. */
export function docsPages(): Plugin {
  return {
    name: 'inpage:docs-pages',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        const name = pathname === '/docs/' ? 'index.html' : pathname.replace(/^\/(docs\/)?/, '');
        const isOurs = pathname.startsWith('/docs/') || pathname === '/llms.txt';
        const file = isOurs && docsFiles().find((candidate) => candidate.name === name);
        if (!file) return next();
        response.setHeader('content-type', TYPES[extname(name)]!);
        response.end(file.source);
      });
    },
    generateBundle() {
      for (const { name, source } of docsFiles()) {
        this.emitFile({ type: 'asset', fileName: `docs/${name}`, source });
        // Agents look for it at the root.
        if (name === 'llms.txt') this.emitFile({ type: 'asset', fileName: name, source });
      }
    },
  };
}

/** The pages that the README's section "Documentation" leads to, each followed by its parts, which a list of its own leads to. */
export function linkedPages(): LinkedPage[] {
  const [, section = ''] = /^## Documentation\n([^]*?)^## /m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  return linksIn(section, /\[([^\]]+)\]\((demo\/docs\/[\w-]+\.md)\)/g).flatMap(({ title, path }) => {
    const stem = posix.basename(path, '.md');
    const parts = linksIn(
      readFileSync(join(root, path), 'utf8'),
      new RegExp(`^- \\[([^\\]]+)\\]\\((${stem}-[\\w-]+\\.md)\\)`, 'gm'),
    );
    return [
      { title, path, isPart: false },
      ...parts.map((part) => ({ title: part.title, path: `${folder}/${part.path}`, isPart: true })),
    ];
  });
}

function linksIn(text: string, link: RegExp): { title: string; path: string }[] {
  return [...text.matchAll(link)].map(([, title = '', path = '']) => ({ title, path }));
}

function markdownNames(): string[] {
  return readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
}
