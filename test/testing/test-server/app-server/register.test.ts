import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer, TestServerOptions } from '../../../../src/testing/test-server/index.js';
import { TEST_COOKIE, TOKEN_HEADER, writeTestCookie } from '../../../../src/testing/test-server/app-server/app-link.js';
import { chatBody } from '../support/ask.js';
import { importServerForApp, registerFile } from '../support/built.js';
import { type StartedApp, startApp } from './start-app.js';

const { startServerForApp } = await importServerForApp();
const REGISTER = pathToFileURL(await registerFile()).href;
const here = (name: string): string => join(import.meta.dirname, name);
const folder = mkdtempSync(join(tmpdir(), 'inpage-register-'));
const log = join(folder, 'connections.txt');

let app: StartedApp;
/** A server that an app asks, and no known API. */
const other = createServer((_, response) => response.end('the real one'));
let otherBase = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherBase = `http://127.0.0.1:${(other.address() as AddressInfo).port}/ai`;
  app = await startApp(['--import', pathToFileURL(here('spy.mjs')).href, '--import', REGISTER, here('apps.mjs')], {
    OTHER_BASE: otherBase,
    SPY_LOG: log,
  });
});
afterAll(async () => {
  await app.stop();
  other.close();
  rmSync(folder, { recursive: true });
});

interface RunningTest {
  server: TestServer;
  cookie: string;
}
const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** As the Playwright fixture begins one. */
async function beginTest(options: TestServerOptions = {}): Promise<RunningTest> {
  const token = randomUUID();
  const intercept = ['https://api.openai.com/v1', otherBase];
  const server = await startServerForApp(options, { token, intercept, allowHosts: [] });
  running.push(server);
  const value = writeTestCookie({ port: Number(new URL(server.origin).port), token });
  return { server, cookie: `session=1; ${TEST_COOKIE}=${value}; theme=dark` };
}

const BODY = JSON.stringify(chatBody('Hi'));

/** Asks the app's server as a page of the test does. */
async function askApp(way: string, cookie?: string, body = BODY): Promise<string> {
  const headers = cookie === undefined ? {} : { cookie };
  return (await fetch(`${app.origin}/ask/${way}`, { method: 'POST', headers, body })).text();
}

describe('a server with inpage/test-server/register', () => {
  it('[Y26] is answered by the test whose page it answers, in whichever way it asks', async () => {
    const { server, cookie } = await beginTest();
    for (const way of ['fetch', 'request', 'https', 'options', 'client', 'other', 'otherFetch']) {
      server.reset();
      server.use({ text: `By ${way}.` });
      expect(await askApp(way, cookie)).toContain(`By ${way}.`);
      expect(server.requests).toMatchObject([
        { method: 'POST', path: '/v1/chat/completions', model: 'gpt-5', status: 200, state: 'done' },
      ]);
      // What was needed to find the test is not of the app.
      expect(server.requests[0]?.headers).not.toHaveProperty(TOKEN_HEADER);
    }
  });

  it('[Y26] sees the address that it asked, and its own headers arrive', async () => {
    const { server, cookie } = await beginTest();
    server.use({ text: 'Yes.' });
    expect(await askApp('fetch', cookie)).toMatch(/^200 https:\/\/api\.openai\.com\/v1\/chat\/completions \{/);
    await askApp('request', cookie);
    expect(server.requests[1]?.headers).toMatchObject({ 'x-own': 'yes', 'user-agent': 'node' });
    expect(await askApp('get', cookie)).toContain('"object":"list"');
  });

  it('[Y26] is answered as a hosted service answers, where the test says nothing else', async () => {
    const body = JSON.stringify({ ...chatBody('Hi'), reasoning_effort: 'none' });
    const hosted = await beginTest();
    hosted.server.use({ text: 'Fine.' });
    expect(await askApp('fetch', hosted.cookie, body)).toContain('Fine.');
    const strict = await beginTest({ compatibility: 'service' });
    strict.server.use({ text: 'Fine.' });
    expect(await askApp('fetch', strict.cookie, body)).toMatch(/^400 /);
  });

  it('[Y26] gets errors and faults as they are', async () => {
    const { server, cookie } = await beginTest();
    server.use({ match: 'something else', text: 'No.' });
    expect(await askApp('fetch', cookie)).toMatch(/^400 .*something else/);
    await server.faults.set({ fail: { status: 503 } });
    expect(await askApp('fetch', cookie)).toMatch(/^503 /);
    expect(server.unmatched).toHaveLength(1);
  });

  it('[Y26] never mixes two tests that ask at the same time', async () => {
    const [one, two] = await Promise.all([beginTest(), beginTest()]);
    one.server.use({ text: 'first', tokenDelayMs: 3 });
    two.server.use({ text: 'second', tokenDelayMs: 2 });
    const ways = ['fetch', 'https', 'client', 'request', 'options'];
    const asked = Array.from({ length: 60 }, (_, index) => ({
      way: ways[index % ways.length]!,
      test: index % 2 === 0 ? one : two,
      said: index % 2 === 0 ? 'first' : 'second',
      body: JSON.stringify(chatBody(`Question ${index}`)),
    }));
    const answers = await Promise.all(asked.map(({ way, test, body }) => askApp(way, test.cookie, body)));
    expect(answers.map((text) => /first|second/.exec(text)?.[0])).toEqual(asked.map(({ said }) => said));
    for (const test of [one, two]) {
      const questions = test.server.requests.map(({ body }) => JSON.stringify(body)).toSorted();
      const own = asked.filter((each) => each.test === test).map(({ body }) => body);
      expect(questions).toEqual(own.toSorted());
    }
  });

  it('[Y26] streams piece by piece, and ends the answer when the page leaves', async () => {
    const { server, cookie } = await beginTest();
    // It would take minutes.
    server.use({ text: 'word ', repeat: 5_000, tokenDelayMs: 50 });
    const left = new AbortController();
    const response = await fetch(`${app.origin}/stream`, {
      method: 'POST',
      headers: { cookie },
      body: JSON.stringify(chatBody('Hi', { stream: true })),
      signal: left.signal,
    });
    const entry = await server.nextRequest();
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('word')) text += new TextDecoder().decode((await reader.read()).value);
    expect(entry.state).toBe('open');
    left.abort();
    await expect(reader.read()).rejects.toThrow(/abort/);
    expect((await entry.finished).state).toBe('aborted');
  });

  it.each([
    ['without a cookie', undefined],
    ['with the cookie of no test', `${TEST_COOKIE}=1-${randomUUID()}`],
    ['with a cookie of another form', `${TEST_COOKIE}=api.example.com`],
  ])('[Y26] %s, keeps from known APIs by an Error that names the host, and all else as it is', async (_, cookie) => {
    for (const way of ['fetch', 'https', 'options', 'get'])
      expect(await askApp(way, cookie)).toMatch(/^failed: inpage: .* api\.openai\.com/);
    expect(await askApp('known', cookie)).toMatch(/^failed: inpage: .* api\.mistral\.ai/);
    expect(await askApp('anthropic', cookie)).toMatch(/^failed: inpage: .* api\.anthropic\.com/);
    expect(await askApp('other', cookie)).toBe('the real one');
    expect(await askApp('otherFetch', cookie)).toBe('the real one');
    expect(await askApp('self', cookie)).toBe('plain');
    expect(await askApp('selfFetch', cookie)).toBe('plain');
  });

  it('[Y26] keeps from known APIs that a test did not think of, and says what to add', async () => {
    const { cookie } = await beginTest();
    const message = await askApp('anthropic', cookie);
    expect(message).toContain("Add 'https://api.anthropic.com/v1' to `inferenceOptions.intercept`");
    expect(await askApp('self', cookie)).toBe('plain');
  });

  it('[Y26] asks nobody for a test that is over, whoever has its port now', async () => {
    const { server, cookie } = await beginTest();
    server.use({ text: 'Yes.' });
    expect(await askApp('fetch', cookie)).toContain('Yes.');
    const port = Number(new URL(server.origin).port);
    await server.close();
    const next = await startServerForApp({ port }, { token: randomUUID(), intercept: [otherBase], allowHosts: [] });
    running.push(next);
    expect(await askApp('fetch', cookie)).toMatch(/^failed: inpage: .* api\.openai\.com/);
    expect(await askApp('other', cookie)).toBe('the real one');
    const stranger = fetch(`${next.origin}/v1/models`, { headers: { [TOKEN_HEADER]: randomUUID() } });
    await expect(stranger).rejects.toThrow('fetch failed');
    expect(next.requests).toEqual([]);
  });

  it('[Y26] works by NODE_OPTIONS', async () => {
    const second = await startApp([here('apps.mjs')], { NODE_OPTIONS: `--import ${REGISTER}` });
    try {
      const { server, cookie } = await beginTest();
      server.use({ text: 'By a variable.' });
      const answer = await fetch(`${second.origin}/ask/client`, { method: 'POST', headers: { cookie }, body: BODY });
      expect(await answer.text()).toBe('By a variable.');
    } finally {
      await second.stop();
    }
  });

  it('[Y26] talked to 127.0.0.1 only', () => {
    const hosts = new Set(readFileSync(log, 'utf8').trim().split('\n'));
    expect(hosts).toEqual(new Set(['127.0.0.1']));
  });
});
