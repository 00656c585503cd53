/** Fails when code that runs in browsers uses a built-in that the oldest supported browsers lack. */
import { join } from 'node:path';
import { BOUND_BY, type Browser, LEAST, versionOf } from './browser-support.js';
import { findUnsupported } from './find-unsupported.js';

/** Parts of `src/` that run in browsers. */
const ROOMS =
  /^src\/(?:index\.ts|(?:page|built-in-ai|elements|page-tools|service-worker|relay|service|engines|language|sound|store|core|extension)\/)/;

const found = findUnsupported(join(import.meta.dirname, '..'), (file) => ROOMS.test(file));
for (const { file, line, name, has } of found) console.error(`${file}:${line}: ${name} exists in ${has}`);
const unbound = (Object.keys(LEAST) as Browser[]).filter((browser) => versionOf(BOUND_BY, browser) !== LEAST[browser]);
for (const browser of unbound) console.error(`${BOUND_BY.join('.')} does not bound ${browser} ${LEAST[browser]}`);
if (found.length + unbound.length > 0) process.exitCode = 1;
else console.log(`browsers: every built-in is in ${Object.entries(LEAST).flat().join(' ')}`);
