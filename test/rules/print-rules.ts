/**
 * `npm run rules`: which rules of `rules.md` the last whole test run proved. A rule is proved when a test that begins with its
 * id passed and none failed. Reads the results that `npm test` left, and those of `npm run test:clients` and `npm run
 * test:runners`, whose packages are installed apart. Fails when a rule is open, or a test names one that is not there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults, readRules, isProved, type TestResults } from './rules.js';

const root = join(import.meta.dirname, '../..');
const runs = {
  'npm test': 'vitest.json',
  'npm run test:clients': 'clients.json',
  'npm run test:runners': 'runners.json',
};
const reports = Object.entries(runs).map(([command, file]) => {
  const path = join(root, 'test-results', file);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as TestResults;
  process.stderr.write(`There are no results of \`${command}\` yet.\n`);
  process.exit(1);
});
const chapters = readRules(readFileSync(join(import.meta.dirname, 'rules.md'), 'utf8'));
const [{ startTime }] = reports as [TestResults];
const testResults = reports.flatMap((report) => report.testResults);
const { passed, failed } = readResults({ startTime, testResults });

let total = 0;
let open = 0;
for (const { letter, title, ids } of chapters) {
  const missing = ids.filter((id) => !isProved(id, { passed, failed }));
  total += ids.length;
  open += missing.length;
  const note = missing.length === 0 ? '' : `  open: ${missing.join(' ')}`;
  process.stdout.write(`${letter}  ${title.padEnd(42)} ${ids.length - missing.length}/${ids.length}${note}\n`);
}
const known = new Set(chapters.flatMap(({ ids }) => ids));
const unknown = [...passed, ...failed].filter((id) => !known.has(id));
process.stdout.write(
  `${total - open} of ${total} rules were proved by the run of ${new Date(startTime).toISOString()}\n`,
);
if (unknown.length > 0) process.stdout.write(`no such rule: ${[...new Set(unknown)].join(' ')}\n`);
if (open > 0 || unknown.length > 0) process.exitCode = 1;
