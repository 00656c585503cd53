// Makes the package `inpage-testing` of the built one, in `dist-testing/`: what tests need, without engines and models. Its entries are
// those of `inpage` with the same names, and its files stand as they stand there.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FROM = 'dist';
const TO = 'dist-testing';
const ENTRIES = ['./playwright', './test-server', './test-server/register'];
/** What entries read from beside them: the thread and its parts, the page that hosts the service, the Service Worker. */
const BESIDE = ['test-server', 'test-server-worker.js', 'host', 'service-worker.js', 'service-worker-isolated.js'];

const content = JSON.parse(readFileSync('package.json', 'utf8'));
const exports = Object.fromEntries(ENTRIES.map((entry) => [entry, content.exports[entry]]));
const files = new Set();

/** A file, and what it imports at its start or later. */
function need(file) {
  if (files.has(file)) return;
  files.add(file);
  const code = readFileSync(join(FROM, file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
  for (const [, target] of code.matchAll(/(?:from|import|require)\s*\(?\s*["'`](\.[^"'`]+)["'`]/g)) {
    const found = join(dirname(file), target);
    need(file.endsWith('.d.ts') || file.endsWith('.d.cts') ? found.replace(/\.js$/, '.d.ts') : found);
  }
}

const filesOf = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(filesOf));
for (const file of filesOf(exports)) need(file.slice(`./${FROM}/`.length));

rmSync(TO, { recursive: true, force: true });
for (const file of files) {
  mkdirSync(dirname(join(TO, FROM, file)), { recursive: true });
  copyFileSync(join(FROM, file), join(TO, FROM, file));
}
for (const name of BESIDE) cpSync(join(FROM, name), join(TO, FROM, name), { recursive: true });

const { version, keywords, homepage, bugs, license, repository, engines, type, peerDependencies } = content;
const manifest = {
  name: 'inpage-testing',
  version,
  description:
    'What tests need of Inpage: a scripted /v1 for test runners, and the Playwright fixture. No engines, no models.',
  keywords: keywords.filter((word) => !['wasm', 'webgpu', 'webllm', 'whisper', 'transformers.js'].includes(word)),
  homepage,
  bugs,
  license,
  repository,
  files: [FROM],
  type,
  sideEffects: ['./dist/test-server-register.js'],
  exports: { ...exports, './package.json': './package.json' },
  peerDependencies: { playwright: peerDependencies.playwright },
  peerDependenciesMeta: { playwright: { optional: true } },
  engines,
};
writeFileSync(join(TO, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync('LICENSE', join(TO, 'LICENSE'));
writeFileSync(
  join(TO, 'README.md'),
  `# inpage-testing

The parts of [Inpage](${homepage}) that tests need, as a small package: \`inpage-testing/test-server\` and
\`inpage-testing/playwright\` are \`inpage/test-server\` and \`inpage/playwright\`, with scripted and upstream models. It has no engines
and no models: tests of a page that runs real ones install \`inpage\`.

\`\`\`js
import { startTestServer } from 'inpage-testing/test-server';

const server = await startTestServer({ models: [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello.' }] } }] });
\`\`\`
`,
);
