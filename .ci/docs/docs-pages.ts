/**
 * The README and `demo/docs/*.md` as pages of the demo, below `/docs/`. The same files are read on GitHub, so links between
 * them name Markdown files, and are turned here into links between pages.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked } from 'marked';
import type { Plugin } from 'vite';

const root = join(import.meta.dirname, '../..');
const folder = 'demo/docs';

/** Where files lie that are no pages. */
const REPOSITORY = 'https://github.com/inpage-dev/inpage/blob/main/';

/** A page's path below `/docs/`, and its HTML; or a picture. */
export type DocsFile = { name: string; source: string | Uint8Array };

/** All pages and their pictures. */
export function docsFiles(): DocsFile[] {
  const pages = ['README.md', ...markdownNames().map((name) => `${folder}/${name}`)];
  const pictures = readdirSync(join(root, folder)).filter((name) => name.endsWith('.png'));
  return [
    ...pages.map((path) => ({ name: pageName(path), source: renderPage(path) })),
    ...pictures.map((name) => ({ name, source: readFileSync(join(root, folder, name)) })),
  ];
}

/** Serves the pages in development and emits them in a build. */
export function docsPages(): Plugin {
  return {
    name: 'inpage:docs-pages',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        const name = pathname === '/docs/' ? 'index.html' : pathname.replace(/^\/docs\//, '');
        const file = pathname.startsWith('/docs/') && docsFiles().find((candidate) => candidate.name === name);
        if (!file) return next();
        response.setHeader('content-type', name.endsWith('.html') ? 'text/html' : 'image/png');
        response.end(file.source);
      });
    },
    generateBundle() {
      for (const { name, source } of docsFiles()) {
        this.emitFile({ type: 'asset', fileName: `docs/${name}`, source });
      }
    },
  };
}

/** @param path below the project's root */
function renderPage(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  const title = titleOf(text);
  const marked = new Marked({
    gfm: true,
    walkTokens(token) {
      if (token.type === 'link' || token.type === 'image') token['href'] = target(token['href'] as string, path);
    },
    renderer: {
      heading({ tokens, depth, text: source }) {
        return `<h${depth} id="${headingId(source)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token) {
        const cells = (row: typeof token.header, tag: string): string =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
      },
    },
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escapeHtml(title === 'Inpage' ? 'Inpage' : `${title} — Inpage`)}</title>
<link rel="icon" href="data:," />
<style>${readFileSync(join(root, 'demo/styles/base.css'), 'utf8')}${readFileSync(join(root, folder, 'docs.css'), 'utf8')}</style>
</head>
<body class="docs">
<nav aria-label="Documentation">
<a class="playground" href="/">Playground</a>
${navigation(path)}
</nav>
<main>
${marked.parse(text, { async: false })}</main>
</body>
</html>
`;
}

/** In the README's order, and by its names. */
function navigation(current: string): string {
  return [{ title: 'Overview', path: 'README.md' }, ...linkedPages()]
    .map(({ title, path }) => {
      const here = path === current ? ' aria-current="page"' : '';
      return `<a href="${pageName(path)}"${here}>${escapeHtml(title)}</a>`;
    })
    .join('\n');
}

/** The pages that the README's list leads to. */
export function linkedPages(): { title: string; path: string }[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const links = readme.matchAll(/^- \[([^\]]+)\]\((demo\/docs\/[\w-]+\.md)\)/gm);
  return [...links].map(([, title = '', path = '']) => ({ title, path }));
}

/** A link as the pages have it. */
function target(href: string, from: string): string {
  if (/^(\w+:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const path = posix.join(posix.dirname(from), file);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === 'README.md' || (path.startsWith(`${folder}/`) && path.endsWith('.md'))) return pageName(path) + hash;
  if (path.startsWith(`${folder}/`)) return posix.basename(path);
  return REPOSITORY + path + hash;
}

function pageName(path: string): string {
  return path === 'README.md' ? 'index.html' : posix.basename(path).replace(/\.md$/, '.html');
}

/** The id that GitHub gives a heading. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function markdownNames(): string[] {
  return readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
