/**
 * Finds the browsers of the tests, or installs them: Debian's packages as root, else Playwright's own downloads.
 * `node .ci/run-ts.mjs .ci/ensure-browsers.ts [--require] [chromium] [firefox] [webkit]`; all three where none is named.
 * A Firefox or WebKit that cannot be had is reported, and with `--require` an error; nothing runs without a Chromium.
 * @module
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';
import { findFirefox } from '../test/browsers/firefox.js';
import { findWebKit } from '../test/browsers/webkit.js';

const { CHROMIUM, DEBIAN_FRONTEND = 'noninteractive' } = process.env;

interface Browser {
  /** Debian's packages. */
  packages: readonly string[];
  /** It is here, in whatever form. */
  isHere: () => boolean;
  /** What Debian's packages bring is here. */
  isComplete: () => boolean;
}

const WHOLE = '/usr/bin/chromium';
/** Without windows, so that a page costs a third; most tests take it where it is (test/support/chromium.ts). */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';

const BROWSERS: Readonly<Record<string, Browser>> = {
  chromium: {
    packages: ['chromium', 'chromium-headless-shell'],
    isHere: () => [CHROMIUM, WHOLE, chromium.executablePath()].some((path) => path && existsSync(path)),
    isComplete: () => CHROMIUM !== undefined || [WHOLE, SHELL].every((path) => existsSync(path)),
  },
  firefox: { packages: ['firefox-esr'], isHere: () => !!findFirefox(), isComplete: () => !!findFirefox() },
  webkit: {
    // With `xauth`, without which `xvfb-run` does not start.
    packages: ['webkit2gtk-driver', 'xvfb', 'xauth'],
    isHere: () => !!findWebKit(),
    isComplete: () => !!findWebKit(),
  },
};

/** What is asked for after this, `npm run try` for one, has standard output to itself. */
const TO_STANDARD_ERROR: StdioOptions = ['inherit', 2, 'inherit'];

function run(command: string, ...args: string[]): boolean {
  console.error(`$ ${command} ${args.join(' ')}`);
  try {
    execFileSync(command, args, { stdio: TO_STANDARD_ERROR, env: { ...process.env, DEBIAN_FRONTEND } });
    return true;
  } catch {
    return false;
  }
}

const args = process.argv.slice(2);
const named = args.filter((each) => each in BROWSERS);
const wanted = Object.entries(BROWSERS).filter(([name]) => named.length === 0 || named.includes(name));

const lacking = wanted.filter(([, browser]) => !browser.isComplete()).flatMap(([, { packages }]) => packages);
if (lacking.length > 0 && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
  // Where there is no network, the Chromium that is here does as well, only slower.
  const patience = ['Acquire::Retries=0', 'Acquire::http::Timeout=20', 'Acquire::https::Timeout=20'];
  const options = ['-qq', ...patience.flatMap((option) => ['-o', option])];
  const isInstalled =
    run('apt-get', 'update', ...options) &&
    run('apt-get', 'install', '-y', '--no-install-recommends', ...options, ...lacking);
  if (!isInstalled) console.error(`Debian's packages could not be installed: ${lacking.join(' ')}`);
}
for (const [name, { isHere }] of wanted) if (!isHere()) run('npx', 'playwright', 'install', '--with-deps', name);

const missing = wanted.flatMap(([name, { isHere }]) => (isHere() ? [] : [name]));
for (const name of missing)
  console.error(`\n*** ${name} IS MISSING AND COULD NOT BE INSTALLED: nothing is tested in it. ***\n`);
console.error(
  `browsers: ${wanted.map(([name]) => `${name} ${missing.includes(name) ? 'MISSING' : 'found'}`).join(', ')}`,
);
if (missing.includes('chromium') || (args.includes('--require') && missing.length > 0)) process.exitCode = 1;
