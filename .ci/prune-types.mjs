// Removes the declarations that no entry of the package leads to: TypeScript writes one per source file, and apps would
// find those of the inside in their editors' suggestions.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TYPES = 'dist/types';
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const needed = new Set();

function need(file) {
  if (needed.has(file)) return;
  needed.add(file);
  const code = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
  for (const [, target] of code.matchAll(/(?:from|import\()\s*["'](\.[^"']+)\.js["']/g)) {
    need(join(dirname(file), `${target}.d.ts`));
  }
}

for (const entry of Object.values(exports)) {
  for (const { types } of [entry, entry.import ?? {}, entry.require ?? {}]) {
    if (!types) continue;
    // TypeScript writes no declarations of declarations.
    const written = join('src', types.slice(`./${TYPES}/`.length));
    if (existsSync(written)) copyFileSync(written, types);
    need(join(types));
  }
}
for (const entry of readdirSync(TYPES, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (entry.isFile() && !needed.has(file)) rmSync(file);
}
