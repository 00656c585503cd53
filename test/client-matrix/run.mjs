// `npm run test:clients`: clients of the last years against the service, each in a process of its own. Prints a table. Then the
// newest in a page of the built demo.
// `--newest`: the newest of each family alone. `--write`: puts the table into the documentation. NAME…: these clients alone.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TASKS } from './task.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

/** Where the table stands. */
const DOCUMENT = here('README.md');

/** The newest of each family, and what needs packages of its own. */
const NEWEST = ['newest', 'instructor', 'ollama'];

/** A client that says nothing for so long has failed. */
const TIMEOUT_MS = 180_000;

const flags = new Set(process.argv.slice(2).filter((argument) => argument.startsWith('--')));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const workspaces = flags.has('--newest') ? NEWEST : [...NEWEST, 'older'];

await install();
const { service, baseURL } = await startService();
const rows = await runAll(baseURL);
service.kill();
const table = renderTable(rows);
process.stdout.write(`${table}\n`);
for (const { client, outcome } of rows) {
  for (const [task, result] of Object.entries(outcome)) {
    if (result !== true) process.stderr.write(`\n${client}, ${TASKS[task].title}: ${result}\n`);
  }
}
if (flags.has('--write')) writeTable(table);
const isInPageRight = wanted.length > 0 || (await runInPage());
const isRight = rows.every(({ outcome }) => Object.values(outcome).every((result) => result === true));
process.exitCode = isRight && isInPageRight ? 0 : 1;

/** From the locked file, beside the project's own packages; again only when that file has changed. */
async function install() {
  const stamp = here(`node_modules/.installed-${workspaces.join('-')}`);
  const lock = here('package-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return;
  process.stderr.write('Installing the clients …\n');
  const chosen = workspaces.flatMap((workspace) => ['-w', workspace]);
  await run('npm', ['ci', '--include-workspace-root', ...chosen], { cwd: here('.'), maxBuffer: 2 ** 24 });
  copyFileSync(lock, stamp);
}

/** The app over scripted models, behind a port. */
async function startService() {
  const root = here('../..');
  const child = spawn(process.execPath, ['.ci/run-ts.mjs', here('serve.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { service: child, baseURL: line };
}

async function runAll(url) {
  const pending = [];
  for (const workspace of workspaces) {
    const { clients } = await import(`./${workspace}/clients.mjs`);
    const names = Object.keys(clients).filter((name) => wanted.length === 0 || wanted.includes(name));
    pending.push(...names.map((client) => ({ workspace, client, packages: clients[client].packages })));
  }
  const done = [];
  const work = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const outcome = await runClient(next, url);
      process.stderr.write(
        `${next.client}: ${Object.values(outcome).every((result) => result === true) ? 'ok' : 'FAILS'}\n`,
      );
      done.push({ ...next, outcome });
    }
  };
  await Promise.all([work(), work()]);
  return done.toSorted((a, b) => a.client.localeCompare(b.client, 'en', { numeric: true }));
}

/** What came of each task: `true`, or what went wrong. */
async function runClient({ workspace, client }, url) {
  try {
    const options = { cwd: here('.'), timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 };
    const { stdout } = await run(process.execPath, ['run-client.mjs', workspace, client, url], options);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1));
  } catch (thrown) {
    return { chat: String(thrown).slice(0, 2000) };
  }
}

/** The newest in a page of the built demo: the tests beside this file. */
async function runInPage() {
  const config = here('vitest.config.ts');
  const command = [here('../../node_modules/vitest/vitest.mjs'), 'run', '--config', config];
  const child = spawn(process.execPath, command, { cwd: here('../..'), stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

function renderTable(clients) {
  const tasks = Object.keys(TASKS);
  const lines = [
    ['client', ...tasks.map((task) => TASKS[task].title)],
    ['---', ...tasks.map(() => '---')],
    ...clients.map(({ workspace, client, packages, outcome }) => [
      nameOf(workspace, client, packages),
      ...tasks.map((task) => (task in outcome ? (outcome[task] === true ? 'yes' : 'NO') : '')),
    ]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The client's packages with their versions, and the way it goes. */
function nameOf(workspace, client, packages) {
  const { dependencies } = JSON.parse(readFileSync(here(`${workspace}/package.json`), 'utf8'));
  const versions = packages.map((name) => dependencies[name].replace(/^npm:/, '').replace(/^(?=\d)/, `${name}@`));
  const way = client.split(' ').slice(1).join(' ');
  return `${versions.map((version) => `\`${version}\``).join(', ')}${way === '' ? '' : ` (${way})`}`;
}

function writeTable(text) {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [before, rest] = document.split('<!-- table -->\n');
  const after = rest.split('<!-- end of table -->')[1];
  writeFileSync(DOCUMENT, `${before}<!-- table -->\n\n${text}\n\n<!-- end of table -->${after}`);
}
