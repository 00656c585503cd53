// `npm run test:clients`: clients of the last years against the service, each in a process of its own. Prints a table. Then the
// newest in a page of the built demo.
// `--newest`: the newest of each family alone. `--write`: puts the newest into the documentation, and the older into README.md.
// NAME…: these clients alone.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TASKS } from './task.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

/** Where the tables stand: of the newest, and of the older. */
const DOCUMENT = here('../../demo/docs/compatibility.md');
const README = here('README.md');
const BEGIN = '<!-- javascript -->';
const END = '<!-- /javascript -->';

/** The newest of each family, and what needs packages of its own. */
const NEWEST = ['newest', 'instructor', 'ollama'];

/** The columns. */
const HEAD = ['client', ...Object.values(TASKS).map(({ title }) => title)];

/** A client that says nothing for so long has failed. */
const TIMEOUT_MS = 180_000;

const flags = new Set(process.argv.slice(2).filter((argument) => argument.startsWith('--')));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const workspaces = flags.has('--newest') ? NEWEST : [...NEWEST, 'older'];

await install();
const chosen = await chooseClients();
const { service, baseURL } = await startService(chosen.map(({ client }) => client));
const rows = await runAll(chosen, baseURL);
service.kill();
const table = renderTable(rows);
process.stdout.write(`${table}\n`);
for (const { client, outcome } of rows) {
  for (const [task, result] of Object.entries(outcome)) {
    if (result !== true) process.stderr.write(`\n${client}, ${TASKS[task].title}: ${result}\n`);
  }
}
if (flags.has('--write')) {
  writeTable(
    DOCUMENT,
    rows.filter(({ workspace }) => NEWEST.includes(workspace)),
  );
  if (!flags.has('--newest'))
    writeTable(
      README,
      rows.filter(({ workspace }) => !NEWEST.includes(workspace)),
    );
}
const isInPageRight = wanted.length > 0 || (await runInPage());
const isRight = rows.every(({ outcome }) => Object.values(outcome).every((result) => result === true));
process.exitCode = isRight && isInPageRight ? 0 : 1;

/** From the locked file, beside the project's own packages; again only when that file has changed. */
async function install() {
  const stamp = here(`node_modules/.installed-${workspaces.join('-')}`);
  const lock = here('package-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return;
  process.stderr.write('Installing the clients …\n');
  const parts = workspaces.flatMap((workspace) => ['-w', workspace]);
  await run('npm', ['ci', '--include-workspace-root', ...parts], { cwd: here('.'), maxBuffer: 2 ** 24 });
  copyFileSync(lock, stamp);
}

async function chooseClients() {
  const all = [];
  for (const workspace of workspaces) {
    const { clients } = await import(`./${workspace}/clients.mjs`);
    const names = Object.keys(clients).filter((name) => wanted.length === 0 || wanted.includes(name));
    all.push(...names.map((client) => ({ workspace, client, packages: clients[client].packages })));
  }
  return all;
}

/** The app over scripted models, behind a port. */
async function startService(names) {
  const root = here('../..');
  const child = spawn(process.execPath, ['.ci/run-ts.mjs', here('serve.ts'), ...names], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { service: child, baseURL: line };
}

async function runAll(clients, url) {
  const pending = [...clients];
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
  return done;
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
  return tableOf(clients.map((client) => lineOf(client)));
}

/** @param lines of rows, which are sorted */
function tableOf(lines) {
  const head = [HEAD, HEAD.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`);
  return [...head, ...lines.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))].join('\n');
}

function lineOf({ workspace, client, packages, outcome }) {
  const cells = Object.keys(TASKS).map((task) => (task in outcome ? (outcome[task] === true ? 'yes' : 'NO') : ''));
  return `| ${[nameOf(workspace, client, packages), ...cells].join(' | ')} |`;
}

/** The client's packages with their versions, and the way it goes. */
function nameOf(workspace, client, packages) {
  const { dependencies } = JSON.parse(readFileSync(here(`${workspace}/package.json`), 'utf8'));
  const versions = packages.map((name) => dependencies[name].replace(/^npm:/, '').replace(/^(?=\d)/, `${name}@`));
  const way = client.split(' ').slice(1).join(' ');
  return `${versions.map((version) => `\`${version}\``).join(', ')}${way === '' ? '' : ` (${way})`}`;
}

/** The rows of some clients; where not all have run, the others keep theirs. */
function writeTable(file, clients) {
  const [before, rest] = readFileSync(file, 'utf8').split(`${BEGIN}\n`);
  const [old, after] = rest.split(END);
  const nameIn = (line) => line.split('|')[1].trim();
  const written = clients.map((client) => lineOf(client));
  const renewed = new Set(written.map(nameIn));
  const kept =
    wanted.length === 0 ? [] : old.split('\n').filter((line) => line.startsWith('| `') && !renewed.has(nameIn(line)));
  writeFileSync(file, `${before}${BEGIN}\n\n${tableOf([...kept, ...written])}\n\n${END}${after}`);
}
