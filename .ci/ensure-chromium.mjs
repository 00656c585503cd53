// Finds a Chromium for the tests, or installs one: Debian's package as root, else playwright's own download.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const found = () => process.env.CHROMIUM ?? ['/usr/bin/chromium', chromium.executablePath()].find(existsSync);

function run(command, ...args) {
  console.log(`$ ${command} ${args.join(' ')}`);
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}

if (!found() && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
  try {
    run('apt-get', 'update', '-qq');
    run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium');
  } catch {
    console.log('No Chromium package here; trying the download of playwright.');
  }
}
if (!found()) run('npx', 'playwright', 'install', '--with-deps', 'chromium');
console.log(`Chromium: ${found()}`);
