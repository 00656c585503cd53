/**
 * Coding agents and agent libraries from the npm registry against `inpage serve --compatibility hosted`, each in a network
 * namespace that has only the loopback. A scripted model calls a tool; the file that the tool makes is the proof. See README.md.
 * @module
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PROGRAMS } from './programs.mjs';
import { repliesFor } from './replies.mjs';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/agents');
const CLI = join(ROOT, 'dist/cli.js');
const BASE = 'http://localhost:8099/v1';
/** Milliseconds that an agent may take for one task. */
const PATIENCE = 120_000;

if (process.argv[2] === '--inside') await inside(process.argv.slice(3));
else outside(process.argv.slice(2));

/** Installs what is missing, then goes on without a network. */
function outside(given) {
  const names = given.length > 0 ? given : Object.keys(PROGRAMS);
  const unknown = names.find((name) => !Object.hasOwn(PROGRAMS, name));
  if (unknown) throw new Error(`\`${unknown}\` is none of ${Object.keys(PROGRAMS).join(', ')}.`);
  if (!existsSync(CLI)) throw new Error('Run `npm run build:library` first.');
  for (const name of names) install(name);
  const shell = 'ip link set lo up && exec "$0" "$@"';
  const own = [process.execPath, import.meta.filename, '--inside', ...names];
  // Root needs no user namespace, others do.
  const flags = process.getuid() === 0 ? ['-n'] : ['-rn'];
  const { status } = spawnSync('unshare', [...flags, 'sh', '-c', shell, ...own], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

/** A folder for each program, so that none gets a package of another's. It is made again when its packages have changed. */
function install(name) {
  const folder = join(CACHE, name);
  const { packages, built = [] } = PROGRAMS[name];
  const stamp = join(folder, 'installed.json');
  const wanted = JSON.stringify({ packages, built });
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const options = { cwd: folder, stdio: 'inherit' };
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], options);
    for (const each of built)
      execFileSync('npm', ['run', 'postinstall'], { ...options, cwd: join(folder, 'node_modules', each) });
    writeFileSync(stamp, wanted);
  }
  const script = join(import.meta.dirname, 'scripts', `${name}.mjs`);
  if (existsSync(script)) copyFileSync(script, join(folder, 'run.mjs'));
}

async function inside(names) {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-agents-'));
  const server = await serve(folder);
  try {
    const results = [];
    for (const name of names) for (const task of PROGRAMS[name].tasks) results.push(await perform(name, task, folder));
    process.exitCode = results.every(Boolean) ? 0 : 1;
  } finally {
    server.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serve(folder) {
  const config = join(folder, 'inpage.json');
  const script = { replies: repliesFor(join(folder, 'work')) };
  const entry = { task: 'chat', backend: 'scripted', contextLength: 200_000, script };
  const models = [
    { id: 'scripted', ...entry },
    { id: 'gpt-5.5', ...entry },
  ];
  writeFileSync(config, JSON.stringify({ models }));
  const chromium = process.env.CHROMIUM === undefined ? [] : ['--chromium', process.env.CHROMIUM];
  const args = [CLI, 'serve', '--port', '8099', '--compatibility', 'hosted', '--config', config, ...chromium];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    server.stdout.on('data', (text) => String(text).includes('serving') && resolve());
    server.on('exit', (code) => reject(new Error(`inpage serve ended with ${code}.`)));
  });
  return server;
}

/** Whether the file was made and the program ended well. */
async function perform(name, task, folder) {
  const { what, words, file = 'made.txt', args = [], model = 'scripted', first, more, prepare } = task;
  const { command, connect, environment } = PROGRAMS[name];
  const home = mkdtempSync(join(folder, 'home-'));
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const server = [process.execPath, join(import.meta.dirname, 'mcp-server.mjs'), join(work, file)];
  const place = { home, work, url: BASE, server };
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...environment?.(place) };
  if (connect) Object.assign(env, connectLines(connect, model, env));
  prepare?.(place);
  const modules = join(CACHE, name, 'node_modules');
  const [program, ...start] = command.map((part) =>
    part === 'node' ? process.execPath : part === 'SCRIPT' ? join(CACHE, name, 'run.mjs') : join(modules, part),
  );
  const options = { cwd: work, env };
  if (first) await run(program, [...start, ...first(place)], options);
  const { status, output } = await run(program, [...start, ...args, words, ...(more?.(place) ?? [])], options);
  const isMade = existsSync(join(work, file)) && status === 0;
  process.stdout.write(`${isMade ? 'made  ' : 'FAILED'} ${name}: ${what} (exit ${status})\n`);
  if (!isMade) process.stdout.write(`${output.slice(-3000)}\n`);
  return isMade;
}

/** Does what `inpage connect` prints, as a person would: writes the file, where there is one. @returns the environment */
function connectLines(program, model, env) {
  const asked = [CLI, 'connect', program, '--url', BASE, '--model', model];
  const printed = execFileSync(process.execPath, asked, { env, encoding: 'utf8' });
  const [, path, text] = /^# ~\/(\S+)\n([^]*)$/m.exec(printed) ?? [];
  if (path) {
    const file = join(env.HOME, path);
    mkdirSync(dirname(file), { recursive: true });
    // Behind an object of JSON there may be a note.
    writeFileSync(file, /^\{[^]*?^\}$/m.exec(text)?.[0] ?? text);
  }
  return Object.fromEntries(
    [...printed.matchAll(/^export (\w+)='([^']*)'$/gm)].map(([, name, value]) => [name, value]),
  );
}

function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (status) => resolve({ status, output }));
  });
}
