/** The fenced code blocks of the README and of `demo/docs/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** A fenced block. Its info is a language and words for the tests: `ts no-run` is checked but not run, `ts fragment` neither. */
export interface CodeBlock {
  /** Path below the project's root. */
  page: string;
  /** Of the fence, from 1. */
  line: number;
  language: string;
  words: string[];
  code: string;
  /** What a first line `// name` calls it. */
  file?: string;
}

/** The README, and every page below `demo/docs/`, as paths below the project's root. */
export function documents(): string[] {
  const pages = readdirSync(join(root, 'demo/docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((name) => `demo/docs/${name}`)];
}

export function readDocument(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function codeBlocks(): CodeBlock[] {
  return documents().flatMap((page) => {
    const text = readDocument(page);
    return [...text.matchAll(/^```(\S*)([^\n]*)\n([^]*?)^```$/gm)].map((match) => {
      const [, language = '', info = '', code = ''] = match;
      const file = /^\/\/ ([\w.-]+\.(?:ts|js|tsx))\b/.exec(code)?.[1];
      const line = text.slice(0, match.index).split('\n').length;
      return { page, line, language, words: info.trim().split(/\s+/), code, ...(file !== undefined && { file }) };
    });
  });
}

/** Lines of the shell blocks, without comments. */
export function shellLines(): { page: string; command: string }[] {
  return codeBlocks()
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, code }) =>
      code.split('\n').map((line) => ({ page, command: line.replace(/\s+#.*$/, '').trim() })),
    )
    .filter(({ command }) => command !== '');
}
