/** A document as a page of the demo: navigation, search, contents, and tables that fit on phones. @module */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';

const FOLDER = 'demo/docs';

/** Where files lie that are no pages. */
const REPOSITORY = 'https://github.com/inpage-dev/inpage/blob/main/';

/** Pages with fewer headings need no contents. */
const MIN_HEADINGS = 3;

/** A document: its path below the project's root, and its Markdown. */
export interface Document {
  path: string;
  text: string;
}

/** A page in the navigation. */
export interface LinkedPage {
  title: string;
  path: string;
  /** It belongs to the page before it: `endpoints-rerank.md` to `endpoints.md`. */
  isPart: boolean;
}

/** What the search looks through: a heading with the text below it. */
export interface SearchSection {
  /** Below `/docs/`, with an anchor. */
  url: string;
  page: string;
  heading: string;
  text: string;
}

/** The page's HTML. */
export function renderPage({ path, text }: Document, navigation: readonly LinkedPage[], style: string): string {
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
        return renderTable(token, (tokens) => this.parser.parseInline(tokens));
      },
      code({ text: code }) {
        return `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}</code></pre><button type="button">Copy</button></div>\n`;
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
<style>${style}</style>
<script type="module" src="docs.js"></script>
</head>
<body class="docs">
<nav class="pages" aria-label="Documentation">
<a class="playground" href="/">Playground</a>
<search><input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" /></search>
<details><summary>Pages</summary>
${navigation.map((page) => navigationLink(page, path)).join('\n')}
</details>
</nav>
<main>
<div class="results" role="status" hidden></div>
${contents(text)}<article>
${marked.parse(text, { async: false })}</article>
</main>
</body>
</html>
`;
}

function navigationLink({ title, path, isPart }: LinkedPage, current: string): string {
  const here = path === current ? ' aria-current="page"' : '';
  return `<a href="${pageName(path)}"${isPart ? ' class="part"' : ''}${here}>${escapeHtml(title)}</a>`;
}

/** Each cell has its column's name, which phones show instead of a head. */
function renderTable({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const names = header.map(({ text }) => escapeHtml(text.replaceAll('`', '')).replaceAll('"', '&quot;'));
  const heads = header.map(({ tokens }) => `<th>${inline(tokens)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map(({ tokens, text }, index) =>
      text === '' ? '<td class="empty"></td>' : `<td data-label="${names[index]}"><div>${inline(tokens)}</div></td>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="table" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>\n`;
}

/** The headings of the second level. */
function contents(text: string): string {
  const headings = headingsOf(text).filter(({ depth }) => depth === 2);
  if (headings.length < MIN_HEADINGS) return '';
  const links = headings.map(({ title }) => `<a href="#${headingId(title)}">${escapeHtml(plain(title))}</a>`);
  return `<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>${links.join('')}</details></nav>\n`;
}

/** A document in pieces for the search, one for each heading. */
export function searchSections({ path, text }: Document): SearchSection[] {
  const page = titleOf(text);
  const headings = headingsOf(text);
  return headings.map(({ title, end }, index) => ({
    url: `${pageName(path)}${index === 0 ? '' : `#${headingId(title)}`}`,
    page,
    heading: plain(title),
    text: plain(text.slice(end, headings[index + 1]?.start)),
  }));
}

interface Heading {
  title: string;
  depth: number;
  start: number;
  end: number;
}

/** Headings of a document. Lines of code that begin with `#` are none. */
function headingsOf(text: string): Heading[] {
  const withoutCode = text.replaceAll(/^```[^]*?^```$/gm, (code) => code.replaceAll('#', ' '));
  return [...withoutCode.matchAll(/^(#{1,3}) (.+)$/gm)].map(({ 0: line, 1: marks = '', 2: title = '', index }) => ({
    title,
    depth: marks.length,
    start: index,
    end: index + line.length,
  }));
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<!--[^]*?-->|^```.*$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A link as the pages have it. */
function target(href: string, from: string): string {
  if (/^(\w+:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const path = posix.join(posix.dirname(from), file);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === 'README.md' || (path.startsWith(`${FOLDER}/`) && path.endsWith('.md'))) return pageName(path) + hash;
  if (path.startsWith(`${FOLDER}/`)) return posix.basename(path);
  return REPOSITORY + path + hash;
}

/** Of a document, below `/docs/`. */
export function pageName(path: string): string {
  return path === 'README.md' ? 'index.html' : posix.basename(path).replace(/\.md$/, '.html');
}

/** The id that GitHub gives a heading. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
