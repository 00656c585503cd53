/** `llms.txt`: what the documents are, for programs that read them (https://llmstxt.org). @module */
import { posix } from 'node:path';
import type { Document, LinkedPage } from './render-page.js';

/** Where a document itself is served, below `/docs/`. */
export function markdownName(path: string): string {
  return posix.basename(path);
}

/** The first paragraph of the README, and each page with its own. */
export function llmsText(pages: readonly Document[], navigation: readonly LinkedPage[]): string {
  const texts = new Map(pages.map(({ path, text }) => [path, text]));
  const about = firstParagraph(texts.get('README.md') ?? '');
  const lines = navigation.map(({ title, path }) => {
    const says = firstParagraph(texts.get(path) ?? '');
    return `- [${title}](/docs/${markdownName(path)})${says && `: ${says}`}`;
  });
  return `# Inpage\n\n> ${about}\n\n## Documentation\n\n${lines.join('\n')}\n`;
}

/** In one line, without links. Empty: the page begins with something else. */
function firstParagraph(text: string): string {
  const [, paragraph = ''] = /^# .+\n+([^\n`|<#-][^]*?)\n\n/.exec(text) ?? [];
  return paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
