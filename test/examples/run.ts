/**
 * `npm run test:examples [-- name …]`: packs Inpage, installs it in each example as a stranger would, builds the example and uses
 * it in Chromium. Needs the npm registry, and `npm run build:library` before.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLES } from './examples.js';
import { openExample } from './open-example.js';

const root = join(import.meta.dirname, '../..');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in EXAMPLES));
if (unknown.length > 0) throw new Error(`No such example: ${unknown.join(', ')}`);

const workshop = mkdtempSync(join(tmpdir(), 'inpage-examples-'));
try {
  const tarball = join(workshop, pack());
  for (const [name, example] of Object.entries(EXAMPLES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const folder = install(name, tarball);
    await openExample(folder, example);
    console.error(`${name}: works`);
    rmSync(folder, { recursive: true });
  }
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

function pack(): string {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('Run `npm run build:library` first.');
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', workshop], root);
  const packed = readdirSync(workshop).find((file) => file.endsWith('.tgz'));
  if (!packed) throw new Error('npm packed nothing.');
  return packed;
}

/** A copy of the example with its packages, built. */
function install(name: string, tarball: string): string {
  const folder = join(workshop, name);
  cpSync(join(root, 'demo/examples', name), folder, { recursive: true });
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball], folder);
  run('npm', ['run', '-s', 'build'], folder);
  return folder;
}

function run(command: string, args: string[], cwd: string): void {
  // A stranger's shell has no NODE_ENV; what runs this script sets one, with which Next.js does not build.
  const env = { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}
