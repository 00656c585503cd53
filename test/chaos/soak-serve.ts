/**
 * `node .ci/run-ts.mjs test/chaos/soak-serve.ts`: `inpage serve` for five minutes, asked by clients that leave in every way. It
 * answers throughout, and keeps nothing of them. `SOAK_MINUTES` says how long.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 5);
const CLIENTS = 24;

const root = join(import.meta.dirname, '../..');
const MODELS = [
  { id: 'tiny-chat', task: 'chat', backend: 'gguf' },
  { id: 'other', task: 'chat', backend: 'gguf', source: '/models/tiny-chat/', file: 'tiny-chat-Q8_0.gguf' },
  {
    id: 'slow',
    task: 'chat',
    backend: 'scripted',
    script: { replies: [{ text: 'one two '.repeat(200), tokenDelayMs: 50 }] },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'inpage-soak-'));

async function startServer(): Promise<{ server: ChildProcess; port: number }> {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ models: MODELS, compatibility: 'hosted' }));
  const words = ['--max-old-space-size=512', join(root, 'dist/cli.js'), 'serve', '--port', '0', '--config', config];
  const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    server.stdout.on('data', (piece) => {
      printed += String(piece);
      const [, told] = /localhost:(\d+)/.exec(printed) ?? [];
      if (told !== undefined) resolve(Number(told));
    });
    server.once('exit', () => reject(new Error(printed)));
  });
  return { server, port };
}

function residentMB({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

const request = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function chat(random: () => number): string {
  const model = MODELS[Math.floor(random() * MODELS.length)]!.id;
  const messages = [{ role: 'user', content: 'Tell me about the sea.' }];
  return request('/v1/chat/completions', JSON.stringify({ model, messages, stream: random() < 0.5 }));
}

const LEAVES: ((socket: Socket) => void)[] = [
  (socket) => void socket.destroy(),
  (socket) => void socket.resetAndDestroy(),
  (socket) => {
    socket.end();
    setTimeout(() => socket.destroy(), 500);
  },
];

/** What one client sends before it leaves. */
function drawBytes(random: () => number): string {
  const kind = random();
  if (kind < 0.6) return chat(random);
  if (kind < 0.75) return 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200);
  if (kind < 0.9) return chat(random).repeat(20);
  const messages = Array(50_000).fill('{"role":"user","content":"x"}').join(',');
  return request('/v1/responses', `{"model":"slow","input":[${messages}]}`);
}

async function visit(port: number, random: () => number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(drawBytes(random));
  if (random() < 0.5) socket.resume();
  await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
  const isClosed = socket.destroyed ? undefined : once(socket, 'close').catch(() => {});
  LEAVES[Math.floor(random() * LEAVES.length)]!(socket);
  await isClosed;
}

async function soak({ server, port }: { server: ChildProcess; port: number }): Promise<void> {
  const end = Date.now() + MINUTES * 60_000;
  const statusOf = async (path: string, init?: RequestInit): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
  const askAll = async (): Promise<void> => {
    for (const { id: model } of MODELS) {
      const body = JSON.stringify({ model, max_tokens: 4, messages: [{ role: 'user', content: 'Hi' }] });
      assert.equal(await statusOf('/v1/chat/completions', { method: 'POST', body }), 200);
    }
  };
  await askAll();
  const memory: number[] = [];
  const visitors = Array.from({ length: CLIENTS }, async () => {
    while (Date.now() < end) await visit(port, Math.random);
  });
  const looking = (async () => {
    while (Date.now() < end) {
      assert.equal(await statusOf('/health'), 200);
      memory.push(residentMB(server));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  })();
  await Promise.all([...visitors, looking]);
  // What was left is over.
  await askAll();
  const third = Math.floor(memory.length / 3);
  const [early, late] = [Math.max(...memory.slice(0, 2 * third)), Math.max(...memory.slice(-third))];
  process.stdout.write(`memory: at most ${early.toFixed()} MB, in the last third ${late.toFixed()} MB\n`);
  assert.ok(late < 1.5 * early, 'its memory grows');
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

const started = await startServer();
try {
  await soak(started);
} finally {
  started.server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
