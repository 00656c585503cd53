/** `inpage serve` with a scripted model beside a bare server of Node, or aimock: each in a process of its own. @module */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.js';
import { type BenchRow, compare, median } from '../bench-row.js';

const TEXT = 'Hello there, how are you today?';
const OPTIONS = {
  models: [{ id: 'echo', task: 'chat', backend: 'scripted', script: { replies: [{ text: TEXT }] } }],
  compatibility: 'hosted',
};
const BODY = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hi' }] });
const PATH = '/v1/chat/completions';

const ROUNDS = 3;
const CONNECTIONS = [1, 8, 64, 256];
/** Of one round; the peer's take a tenth of the time. */
const REQUESTS = 1_000;
const PEER_REQUESTS = 5_000;
const MANY = 10_000;

/** A server that answers. */
interface Server {
  port: number;
  child: ChildProcess;
}

/** What the client tells. */
interface Load {
  seconds: number;
  answered: number;
  firstRefusal: string;
}

/** Milliseconds between two looks at a server that starts. */
const POLL_MS = 5;

/** Starts a server; resolves when it has answered. @param port undefined: it prints its address */
async function start(args: readonly string[], port?: number): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  for (;;) {
    const [, found] = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)\/v1/.exec(printed) ?? [];
    const known = port ?? (found === undefined ? undefined : Number(found));
    if (known !== undefined && (await ask(known).catch(() => false))) return { port: known, child };
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} has ended. ${printed}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function stop({ child }: Server): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function ask(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: BODY });
  return (await answer.text()).includes(TEXT);
}

/** @throws Error unless each request was answered */
async function load({ port }: Pick<Server, 'port'>, connections: number, count: number): Promise<Load> {
  const client = join(import.meta.dirname, 'load-client.mjs');
  const args = [client, port, PATH, BODY, connections, count].map(String);
  const told = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Load;
  if (told.answered !== count) throw new Error(`${count} were asked, and this is what came: ${JSON.stringify(told)}`);
  return told;
}

/** Linux counts in hundredths of a second. Undefined: another system. */
function processorMs({ child }: Server): number | undefined {
  const fields = statOf(child)?.split(') ').at(-1)!.split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * 10;
}

function statOf({ pid }: ChildProcess): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

/** Of a process's memory; undefined where the system does not tell. */
function megabytes({ child }: Server): number | undefined {
  if (statOf(child) === undefined) return undefined;
  const [, kB] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kB) / 1_024;
}

/** How each side is started. */
interface Sides {
  ours: () => Promise<Server>;
  peer: () => Promise<Server>;
  /** Of the peer. */
  name: string;
}

/** @param aimock folder in which `@copilotkit/aimock` is installed; undefined: beside Node alone */
export async function serveRows(aimock: string | undefined): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-bench-serve-'));
  const sides: Sides = {
    ours: () => start([join(import.meta.dirname, '../../../dist/cli.js'), 'serve', '--port', '0', '--config', config]),
    peer: () => start([join(import.meta.dirname, 'bare-server.mjs')]),
    name: 'bare node:http',
  };
  const config = join(folder, 'inpage.json');
  writeFileSync(config, JSON.stringify(OPTIONS));
  if (aimock !== undefined) {
    const fixtures = join(folder, 'fixtures.json');
    writeFileSync(
      fixtures,
      JSON.stringify({ fixtures: [{ match: { userMessage: 'Hi' }, response: { content: TEXT } }] }),
    );
    const cli = join(absolute(aimock), 'node_modules/@copilotkit/aimock/dist/cli.js');
    sides.name = 'aimock';
    sides.peer = async () => {
      const port = await freePort();
      return start([cli, '--port', String(port), '--fixtures', fixtures, '--log-level', 'silent'], port);
    };
  }
  try {
    return [await firstAnswer(sides), ...(await underLoad(sides)), ...(await memory(sides))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** From the start of the process to the end of the first answer. */
async function firstAnswer({ ours, peer, name }: Sides): Promise<BenchRow> {
  const seconds = async (open: () => Promise<Server>): Promise<number> => {
    const begun = performance.now();
    const server = await open();
    const spent = (performance.now() - begun) / 1_000;
    await stop(server);
    return spent;
  };
  const row = { name: `serve: start to first scripted answer over ${name}`, goal: 4, unit: 's', lower: true };
  return compare(
    row,
    () => seconds(ours),
    () => seconds(peer),
  );
}

async function underLoad({ ours, peer, name }: Sides): Promise<BenchRow[]> {
  const [own, other] = [await ours(), await peer()];
  const rows: BenchRow[] = [];
  try {
    for (const connections of CONNECTIONS) {
      /** Milliseconds of processor time a request. */
      const spent: [number[], number[]] = [[], []];
      const perSecond = (server: Server, side: 0 | 1) => async (): Promise<number> => {
        const count = side === 0 ? REQUESTS : PEER_REQUESTS;
        const before = processorMs(server);
        const { seconds } = await load(server, connections, count);
        const after = processorMs(server);
        if (before !== undefined && after !== undefined) spent[side].push((after - before) / count);
        return count / seconds;
      };
      const row = { name: `serve: ${connections} connections over ${name}`, goal: 0.05, unit: 'requests/s' };
      rows.push(await compare(row, perSecond(own, 0), perSecond(other, 1), ROUNDS));
      if (spent[0].length === 0) continue;
      const [a, b] = [median(spent[0].slice(1)), median(spent[1].slice(1))];
      const time = { name: `${row.name}: processor time of 1,000`, goal: 50, unit: 's', lower: true };
      rows.push({ ...time, ours: a, peer: b, ratio: a / b });
    }
    const atOnce = (server: Server) => async (): Promise<number> => (await load(server, 1_000, 1_000)).seconds;
    const row = { name: `serve: 1,000 requests at once over ${name}`, goal: 10, unit: 's', lower: true };
    rows.push(await compare(row, atOnce(own), atOnce(other), 1));
    return rows;
  } finally {
    await Promise.all([stop(own), stop(other)]);
  }
}

/** Of a fresh server: what it has after many requests beside what it has after some. */
async function memory({ ours }: Sides): Promise<BenchRow[]> {
  const server = await ours();
  try {
    await load(server, 8, REQUESTS);
    const peer = megabytes(server);
    await load(server, 8, MANY);
    const own = megabytes(server);
    if (peer === undefined || own === undefined) return [];
    const name = 'serve: memory after 11,000 requests over that after 1,000';
    return [{ name, ours: own, peer, ratio: own / peer, goal: 1.4, unit: 'MB', lower: true }];
  } finally {
    await stop(server);
  }
}
