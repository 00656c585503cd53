import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { NotFoundError } from 'openai';
import { chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { countingModel } from '../e2e/support/host-page.js';

const root = join(import.meta.dirname, '../..');
const { serveInference } = (await import(join(root, 'dist/bridge.js'))) as typeof import('../../src/bridge/index.js');
const { DEFAULT_MODELS } = await import('../../src/index.js');

const executablePath = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
const LAUNCH = executablePath ? { executablePath } : {};
const MODELS: ModelEntry[] = [...DEFAULT_MODELS, countingModel(20_000, 20, 'endless'), countingModel(3, 0, 'quick')];

describe('serveInference', () => {
  let server: Awaited<ReturnType<typeof serveInference>>;
  let client: OpenAI;
  let debugPort: number;
  beforeAll(async () => {
    debugPort = await freePort();
    const args = [`--remote-debugging-port=${debugPort}`];
    server = await serveInference({ models: MODELS, launch: { ...LAUNCH, args } });
    client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 });
  });
  afterAll(() => server.close());

  it('streams a chat to a program in Node', async () => {
    const stream = await client.chat.completions.create({
      model: 'tiny-chat',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      stream: true,
    });
    const pieces: string[] = [];
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toContain('Paris');
  });

  it('takes uploads', async () => {
    const bytes = readFileSync(join(root, 'public/models/tiny-whisper/clips/en-2.wav'));
    const file = new File([bytes], 'en-2.wav', { type: 'audio/wav' });
    const { text } = await client.audio.transcriptions.create({ model: 'tiny-whisper', file });
    expect(text.length).toBeGreaterThan(10);
  });

  it('passes on errors as they are', async () => {
    await expect(
      client.chat.completions.create({ model: 'nobody', messages: [{ role: 'user', content: 'Hi' }] }),
    ).rejects.toBeInstanceOf(NotFoundError);
  });

  it('frees the model when a client leaves', async () => {
    const ask = { messages: [{ role: 'user' as const, content: 'Hi' }], model: 'endless', stream: true as const };
    const first: string[] = [];
    for (let round = 0; round < 3; round++) {
      const stream = await client.chat.completions.create(ask);
      for await (const chunk of stream) {
        const { content } = chunk.choices[0]?.delta ?? {};
        if (!content) continue;
        first.push(content);
        // Aborts the request. The model serves one at a time: otherwise the next round would wait for minutes.
        break;
      }
    }
    expect(first).toEqual(['w', 'w', 'w']);
  }, 60_000);

  it.each([
    ['/v1/models', 'evil.example', 403],
    ['http://evil.example/v1/models', 'localhost', 200],
    ['//evil.example/v1/models', 'localhost', 200],
    ['/v1/../elsewhere', 'localhost', 404],
    ['/', 'localhost', 404],
    ['http://[', 'localhost', 404],
  ])('answers %s on %s itself, with %i', async (path, host, status) => {
    const { port } = new URL(server.baseURL);
    const asked = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  it('goes on after its page has crashed', async () => {
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${debugPort}`);
    const [page] = browser.contexts().flatMap((context) => context.pages());
    const crashed = page!.waitForEvent('crash');
    await page!.goto('chrome://crash').catch(() => {});
    await crashed;
    await browser.close();
    const { choices } = await client.chat.completions.create(
      { model: 'quick', messages: [{ role: 'user', content: 'Hi' }] },
      { maxRetries: 4 },
    );
    expect(choices[0]?.message.content).toContain('w2');
  });

  it('says which option is wrong', async () => {
    await expect(serveInference({ prefix: 'v1', launch: LAUNCH })).rejects.toThrow(/`prefix` must be/);
  });
});

describe('inpage serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-serve-'));
  let child: ChildProcess | undefined;
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('prints where it serves, and ends when it is told to', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(3, 0, 'quick')] }));
    const args = [
      'serve',
      '--port',
      '0',
      '--config',
      config,
      ...(executablePath ? ['--chromium', executablePath] : []),
    ];
    child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const baseURL = /http:\S+/.exec(line.toString())?.[0];
    const models = (await (await fetch(`${baseURL}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['quick']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
