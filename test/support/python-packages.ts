/** Python with packages, for what is compared with Python's libraries. @module */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/python');

/** A requirement as `pip` writes it, and whether what it asks for is left out. */
export interface PythonPackages {
  packages: readonly string[];
  /** Packages whose own requirements nothing here needs. */
  alone?: readonly string[];
}

/**
 * The interpreter of a virtual environment, which is made when it is not there: in `node_modules/.cache`, so that `npm ci`
 * removes it.
 */
export function pythonWith(name: string, { packages, alone = [] }: PythonPackages): string {
  const folder = join(FOLDER, name);
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const finished = join(folder, `${[...packages, ...alone].join(' ')}.installed`.replaceAll('/', '-'));
  if (existsSync(finished)) return python;
  const run = (command: string, ...options: string[]): void =>
    void execFileSync(command, options, { stdio: ['ignore', 'ignore', 'inherit'] });
  run('python3', '-m', 'venv', '--clear', folder);
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install'];
  if (packages.length > 0) run(python, ...pip, ...packages);
  if (alone.length > 0) run(python, ...pip, '--no-deps', ...alone);
  writeFileSync(finished, '');
  return python;
}
