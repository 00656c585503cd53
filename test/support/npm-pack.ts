/** Packages as npm makes them. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Packs a built package.
 * @param destination a folder
 * @returns the path of the packed file
 */
export async function npmPack(folder: string, destination: string): Promise<string> {
  const options = ['--ignore-scripts', '--silent', '--pack-destination', destination];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: folder });
  return join(destination, stdout.trim());
}

/** Unpacks it as npm does when it installs it. @returns its package.json */
export async function unpack(packed: string, folder: string): Promise<{ bin: Record<string, string> }> {
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', packed, '-C', folder, '--strip-components=1']);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
}
