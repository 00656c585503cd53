/**
 * Coding agents from the npm registry against `inpage serve --compatibility hosted`, each in a network namespace that has
 * only the loopback. A scripted model calls a tool; the file that the tool makes is the proof. See README.md.
 * @module
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/agents');
const BIN = join(CACHE, 'node_modules/.bin');
const CLI = join(ROOT, 'dist/cli.js');
const PACKAGES = { codex: '@openai/codex', opencode: 'opencode-ai' };
const BASE = 'http://localhost:8099/v1';
/** Milliseconds that an agent may take for one task. */
const PATIENCE = 90_000;

const PATCH = '*** Begin Patch\n*** Add File: patched.txt\n+made\n*** End Patch\n';
const call = (match, name, args) => ({ match, toolCalls: [{ name, arguments: args }] });

/** The first reply whose `match` is in the last message counts; what tools answer is matched first. */
const replies = [
  { match: 'TOOL-RAN', text: 'It is done.' },
  { match: 'Success. Updated', text: 'It is done.' },
  { match: 'Wrote file', text: 'It is done.' },
  call('TASK-SHELL', 'exec_command', { cmd: 'echo made > made.txt; echo TOOL-RAN' }),
  call('TASK-MCP', 'mcp__fruit__peel', { name: 'apple' }),
  call('TASK-PATCH', 'apply_patch', { input: PATCH }),
  call('TASK-WRITE', 'write', { filePath: 'FOLDER/written.txt', content: 'made' }),
  { text: 'It is done.' },
];

/** A server with one tool, which leaves a file. */
const MCP_SERVER = `
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const peel = { name: 'peel', description: 'Peels.', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fruit', version: '1' } });
  } else if (method === 'tools/list') answer(id, { tools: [peel] });
  else if (method === 'tools/call') {
    writeFileSync(process.argv[2], 'made');
    answer(id, { content: [{ type: 'text', text: 'TOOL-RAN' }] });
  } else if (id !== undefined) answer(id, {});
});
`;

const codexRun = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];

const TASKS = [
  { program: 'codex', what: 'a shell command', task: 'TASK-SHELL', file: 'made.txt', args: codexRun },
  {
    program: 'codex',
    what: 'a tool of an MCP server',
    task: 'TASK-MCP',
    file: 'peeled.txt',
    args: codexRun,
    mcp: true,
  },
  {
    program: 'codex',
    what: 'a patch, under a model name that it knows',
    task: 'TASK-PATCH',
    file: 'patched.txt',
    args: codexRun,
    model: 'gpt-5.5',
  },
  { program: 'opencode', what: 'its write tool', task: 'TASK-WRITE', file: 'written.txt', args: ['run'] },
];

if (process.argv[2] === '--inside') await inside(process.argv.slice(3));
else outside(process.argv.slice(2));

/** Installs what is missing, then goes on without a network. */
function outside(names) {
  if (!existsSync(CLI)) throw new Error('Run `npm run build:library` first.');
  const missing = Object.entries(PACKAGES).filter(([name]) => !existsSync(join(BIN, name)));
  if (missing.length > 0) {
    mkdirSync(CACHE, { recursive: true });
    if (!existsSync(join(CACHE, 'package.json'))) writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
    const options = { cwd: CACHE, stdio: 'inherit' };
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...missing.map(([, id]) => id)], options);
  }
  const shell = 'ip link set lo up && exec "$0" "$@"';
  const own = [process.execPath, import.meta.filename, '--inside', ...names];
  // Root needs no user namespace, others do.
  const flags = process.getuid() === 0 ? ['-n'] : ['-rn'];
  const { status } = spawnSync('unshare', [...flags, 'sh', '-c', shell, ...own], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

async function inside(names) {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-agents-'));
  const server = await serve(folder);
  try {
    const tasks = TASKS.filter(({ program }) => names.length === 0 || names.includes(program));
    const results = [];
    for (const task of tasks) results.push(await perform(task, folder));
    process.exitCode = results.every(Boolean) ? 0 : 1;
  } finally {
    server.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serve(folder) {
  const config = join(folder, 'inpage.json');
  const here = JSON.parse(JSON.stringify(replies).replaceAll('FOLDER', join(folder, 'work')));
  const entry = { task: 'chat', backend: 'scripted', contextLength: 200_000, script: { replies: here } };
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

/** Whether the file was made. */
async function perform({ program, what, task, file, args, model = 'scripted', mcp }, folder) {
  const home = mkdtempSync(join(folder, 'home-'));
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const env = { PATH: process.env.PATH, HOME: home, INPAGE_API_KEY: 'none', NO_COLOR: '1' };
  const connect = ['connect', program, '--url', BASE, '--model', model, '--write'];
  execFileSync(process.execPath, [CLI, ...connect], { env });
  if (mcp) {
    const script = join(folder, 'mcp.mjs');
    writeFileSync(script, MCP_SERVER);
    const servers = `\n[mcp_servers.fruit]\ncommand = ${JSON.stringify(process.execPath)}\n`;
    const config = join(home, '.codex/config.toml');
    const lines = `args = ${JSON.stringify([script, join(work, file)])}\ndefault_tools_approval_mode = "approve"\n`;
    writeFileSync(config, readFileSync(config, 'utf8') + servers + lines);
  }
  const { status, output } = await run(join(BIN, program), [...args, task], { cwd: work, env });
  const isMade = existsSync(join(work, file));
  process.stdout.write(`${isMade ? 'made  ' : 'FAILED'} ${program}: ${what} (exit ${status})\n`);
  if (!isMade) process.stdout.write(`${output.slice(-3000)}\n`);
  return isMade;
}

function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (status) => resolve({ status, output }));
  });
}
