/**
 * `npm run docs` makes the parts of `demo/docs/` again that come from the source; with `--check` it only says which are
 * not what the source says, and which pages the README does not lead to, and fails.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { linkedPages } from './docs-pages.js';
import { withGeneratedParts, withoutLayout } from './generated-parts.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'demo/docs');

const stale: string[] = [];
for (const name of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
  const page = readFileSync(join(folder, name), 'utf8');
  const made = await withGeneratedParts(page);
  if (withoutLayout(made) === withoutLayout(page)) continue;
  stale.push(name);
  if (!process.argv.includes('--check')) writeFileSync(join(folder, name), made);
}
if (process.argv.includes('--check')) {
  for (const name of stale) console.error(`demo/docs/${name} is not what the source says: run \`npm run docs\`.`);
  const linked = linkedPages().map(({ path }) => basename(path));
  const unlinked = readdirSync(folder).filter((name) => name.endsWith('.md') && !linked.includes(name));
  for (const name of unlinked) console.error(`demo/docs/${name} is missing in the README's list "Documentation".`);
  process.exitCode = stale.length + unlinked.length === 0 ? 0 : 1;
} else {
  execFileSync('npx', ['oxfmt', 'demo/docs'], { cwd: root, stdio: 'inherit' });
  console.log(stale.length === 0 ? 'docs: as they were' : `docs: wrote ${stale.join(', ')}`);
}
