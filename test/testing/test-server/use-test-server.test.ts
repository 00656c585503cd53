import { describe, expect, it } from 'vitest';
import { chat, said } from './support/ask.js';
import { importTestServer } from './support/built.js';

const { useTestServer } = await importTestServer();

/** Hooks that a test calls itself. */
function runner() {
  const hooks: Record<string, (() => Promise<void>)[]> = {};
  const hook = (name: string) => (run: () => Promise<void>) => void (hooks[name] ??= []).push(run);
  const run = async (name: string): Promise<void> => {
    for (const each of hooks[name] ?? []) await each();
  };
  return { hook, run };
}

describe('useTestServer', () => {
  it.each([
    ['beforeAll', 'afterAll'],
    ['before', 'after'],
  ])('[Y22] starts in %s, resets after each test and closes in %s', async (begin, end) => {
    const { hook, run } = runner();
    const server = useTestServer({}, { [begin]: hook(begin), afterEach: hook('afterEach'), [end]: hook(end) });
    expect(() => server.baseURL).toThrow(/has not started/);
    expect(() => server.use({ text: 'x' })).toThrow(/has not started/);
    await run(begin);
    server.use({ text: 'Yes.' });
    expect(await said(server, 'Hi')).toBe('Yes.');
    expect(server.requests).toHaveLength(1);
    const { origin } = server;
    await run('afterEach');
    expect(server.requests).toHaveLength(0);
    await run(end);
    await expect(fetch(origin)).rejects.toThrow('fetch failed');
  });

  it('[Y22] fails a test that left requests unmatched, and shows them', async () => {
    const { hook, run } = runner();
    const server = useTestServer({}, { before: hook('before'), afterEach: hook('afterEach'), after: hook('after') });
    await run('before');
    server.use({ match: 'cat', text: 'Meow.' });
    await chat(server, 'Where is the dog?');
    await expect(run('afterEach')).rejects.toThrow(/POST \/v1\/chat\/completions.*Where is the dog\?.*cat/s);
    // The next test begins anew.
    await run('afterEach');
    await run('after');
  });

  it('[Y22] throws at once where there are no hooks', () => {
    expect(() => useTestServer({}, {})).toThrow(/beforeAll, afterEach, afterAll/);
    expect(() => useTestServer()).toThrow(/hooks/);
  });

  it('[Y22] sets and restores variables of the environment', async () => {
    const { hook, run } = runner();
    process.env['OPENAI_API_KEY'] = 'mine';
    delete process.env['OPENAI_BASE_URL'];
    const options = { env: true, apiKeys: ['sk-one', 'sk-two'] };
    const server = useTestServer(options, {
      before: hook('before'),
      afterEach: hook('afterEach'),
      after: hook('after'),
    });
    expect(process.env['OPENAI_BASE_URL']).toBeUndefined();
    await run('before');
    expect(process.env).toMatchObject({
      OPENAI_BASE_URL: server.baseURL,
      OPENAI_API_KEY: 'sk-one',
      ANTHROPIC_BASE_URL: server.origin,
      ANTHROPIC_API_KEY: 'sk-one',
    });
    expect(server.env.OPENAI_BASE_URL).toBe(server.baseURL);
    await run('after');
    expect(process.env['OPENAI_BASE_URL']).toBeUndefined();
    expect(process.env['OPENAI_API_KEY']).toBe('mine');
    delete process.env['OPENAI_API_KEY'];
  });
});
