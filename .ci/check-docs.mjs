// Fails when something public has no doc comment: every name that an entry of the package exports, and every member of
// an exported interface; when a public function does not say what it throws (`@throws`, or that it never does); when an
// option has no `@example`; when a file has a second `@module`, which would document what follows it as the file; when a
// comment, CONTRIBUTING, the documents of the inside or a `why.md` name a file of the repository that does not exist; and
// when a text has a wording of `plain-english.mjs`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOddEnglish, isProseFile } from './plain-english.mjs';

const ENTRIES = [
  'src/index.ts',
  'src/built-in-ai/index.ts',
  'src/elements/index.ts',
  'src/extension/host.ts',
  'src/extension/index.ts',
  'src/page/react.ts',
  'src/page/uninstall-inference.ts',
  'src/page-tools/index.ts',
  'src/serve/index.ts',
  'src/testing/playwright/index.ts',
  'src/testing/test-server/index.ts',
  'src/tools/vite/index.ts',
];
const problems = [];

/** Where each exported name of an entry is declared. */
function* exportsOf(entry) {
  const text = readFileSync(entry, 'utf8');
  for (const [, names, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g))
    for (const name of names.split(',')) {
      const trimmed = name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, '');
      if (trimmed) yield [trimmed, join(dirname(entry), from).replace(/\.js$/, '.ts')];
    }
  for (const [, name] of text.matchAll(/^export (?:async )?(?:function|class|interface|const|type) (\w+)/gm))
    yield [name, entry];
}

/** The comment that ends right above a line; undefined when there is none. */
function commentAbove(lines, index) {
  let last = index - 1;
  while (/^\s*@\w/.test(lines[last] ?? '')) last -= 1;
  if (!lines[last]?.trimEnd().endsWith('*/')) return undefined;
  let first = last;
  while (first >= 0 && !lines[first].includes('/**')) first -= 1;
  return lines.slice(first, last + 1).join('\n');
}

function checkMembers(lines, start, where) {
  for (let index = start + 1; index < lines.length && lines[index] !== '}'; index += 1) {
    const [, member] = /^ {2}(?:readonly )?(\w+)[?]?[(:<]/.exec(lines[index]) ?? [];
    const comment = member && commentAbove(lines, index);
    if (member && !comment) problems.push(`${where}.${member} has no doc comment`);
    if (comment && where.endsWith('Options') && !comment.includes('@example'))
      problems.push(`${where}.${member} has no example`);
  }
}

for (const entry of ENTRIES)
  for (const [name, file] of exportsOf(entry)) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const declaration = new RegExp(
      `^export (declare )?(abstract )?(async )?(function|class|interface|const|type) ${name}\\b`,
    );
    const index = lines.findIndex((line) => declaration.test(line));
    const where = `${file}: ${name}`;
    if (index < 0) {
      problems.push(`${where} is exported by ${entry} but not declared there`);
      continue;
    }
    const comment = commentAbove(lines, index);
    if (!comment) problems.push(`${where} has no doc comment`);
    else if (/\bfunction\b/.test(lines[index]) && !/@throws|never (throws|rejects)/i.test(comment))
      problems.push(`${where} does not say what it throws`);
    if (/\binterface\b/.test(lines[index])) checkMembers(lines, index, where);
  }

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((name) => existsSync(name));
for (const file of files.filter((name) => /^src\/.*\.ts$/.test(name)))
  if (readFileSync(file, 'utf8').split('@module').length > 2) problems.push(`${file} has more than one @module`);

/** Names in comments that are examples, files of a build or of other repositories. */
const ELSEWHERE = new Set([
  'test.ts',
  'chat.spec.ts',
  'x-worker.ts',
  'THIRD-PARTY-NOTICES.md',
  'src/lib/compliance-tests.ts',
]);
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:\w'"`])\/\/ .*/g;
const CITED = /(?<![\w:/@.*>}-])[\w.-]+(?:\/[\w.-]+)*\.(?:[cm]?ts|tsx|mjs|cjs|md)\b/g;
const ends = new Set(files.flatMap((name) => name.split('/').map((_, index, parts) => parts.slice(index).join('/'))));
for (const file of files) {
  const isProse = /^CONTRIBUTING\.md$|^demo\/docs\/internals|\/why\.md$/.test(file);
  if (!isProse && !/\.([cm]?tsx?|mjs)$/.test(file)) continue;
  const text = readFileSync(file, 'utf8');
  for (const [comment] of isProse ? [[text]] : text.matchAll(COMMENT))
    for (const [cited] of comment.matchAll(CITED)) {
      const name = cited.replace(/^(?:\.{1,2}\/)+/, '');
      if (!ends.has(name) && !ELSEWHERE.has(name)) problems.push(`${file}: there is no file ${cited}`);
    }
}

for (const file of files.filter(isProseFile)) problems.push(...findOddEnglish(file, readFileSync(file, 'utf8')));

for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0
    ? 'docs: every public name has a comment, every cited file exists, no odd wording is known'
    : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
