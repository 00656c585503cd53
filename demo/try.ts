/** `npm run try -- "your question"`: `inpage try` of this tree, which is built first where it is not. Installs nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const path = (file: string): string => join(import.meta.dirname, '..', file);
const run = (...args: string[]): unknown => execFileSync(process.execPath, args, { stdio: 'inherit', cwd: path('.') });

if (!existsSync(path('dist/cli.js'))) {
  process.stderr.write('building the library\n');
  run(path('node_modules/vite/bin/vite.js'), 'build', '--app', '--mode', 'library', '--logLevel', 'error');
}
try {
  // Paths are those of the shell.
  const args = process.argv.slice(2);
  execFileSync(process.execPath, [path('dist/cli.js'), 'try', ...args], {
    stdio: 'inherit',
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
  });
} catch (thrown) {
  process.exitCode = (thrown as { status?: number }).status ?? 1;
}
