/** `npm run rules`: how many of the specification's rules have a test that carries their id. Fails when one has none. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The numbered rules of the specification: letter, title, how many. */
const RULES: [letter: string, title: string, count: number][] = [
  ['C', 'Chat completions', 76],
  ['T', 'Text completions', 20],
  ['M', 'Messages', 31],
  ['R', 'Responses', 34],
  ['E', 'Embeddings', 9],
  ['A', 'Audio', 19],
  ['L', 'Models', 9],
  ['K', 'Keys and plan', 16],
  ['Q', 'Rate limits and headers', 13],
  ['X', 'Errors and general behaviour', 24],
  ['S', 'Streams', 26],
  ['G', "Compatibility 'openai'", 8],
];

const root = join(import.meta.dirname, '..');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
const covered = new Set<string>();
for (const file of files) {
  // Only test names count: a string that begins with the ids, as in `[C12] …` or `[C12] [C13] …`.
  for (const [name] of readFileSync(join(root, file), 'utf8').matchAll(/['"`](?:\[[A-Z]\d\d\]\s*)+/g)) {
    for (const [, id] of name.matchAll(/\[([A-Z]\d\d)\]/g)) if (id) covered.add(id);
  }
}

let missing = 0;
let total = 0;
for (const [letter, title, count] of RULES) {
  const ids = Array.from({ length: count }, (_, index) => letter + String(index + 1).padStart(2, '0'));
  const open = ids.filter((id) => !covered.has(id));
  total += count;
  missing += open.length;
  process.stdout.write(
    `${letter}  ${title.padEnd(30)} ${count - open.length}/${count}${open.length ? `  open: ${open.join(' ')}` : ''}\n`,
  );
}
process.stdout.write(`${total - missing} of ${total} rules have a test that names them\n`);
if (missing > 0) process.exitCode = 1;
