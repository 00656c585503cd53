// Finds a Chromium for the tests, or installs one: Debian's packages as root, else playwright's own download.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const { CHROMIUM, DEBIAN_FRONTEND = 'noninteractive' } = process.env;
const WHOLE = '/usr/bin/chromium';
/** Without windows, so that a page costs a third; most tests take it where it is (test/support/chromium.ts). */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';

const found = () => CHROMIUM ?? [WHOLE, chromium.executablePath()].find(existsSync);

function run(command, ...args) {
  console.log(`$ ${command} ${args.join(' ')}`);
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND } });
}

const isDebianRoot = existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
if (!CHROMIUM && isDebianRoot && ![WHOLE, SHELL].every(existsSync)) {
  // Where there is no network, the Chromium that is here does as well, only slower.
  const patience = ['Acquire::Retries=0', 'Acquire::http::Timeout=20', 'Acquire::https::Timeout=20'];
  const options = ['-qq', ...patience.flatMap((option) => ['-o', option])];
  try {
    run('apt-get', 'update', ...options);
    run('apt-get', 'install', '-y', '--no-install-recommends', ...options, 'chromium', 'chromium-headless-shell');
  } catch {
    console.log('No Chromium packages here.');
  }
}
if (!found()) run('npx', 'playwright', 'install', '--with-deps', 'chromium');
console.log(`Chromium: ${found()}${existsSync(SHELL) ? `, ${SHELL}` : ''}`);
