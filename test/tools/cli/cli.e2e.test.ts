/** The command line of the built package. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';
import { resolveOptions } from '../../../src/page/resolve-options.js';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'inpage-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param args after variables of the environment, if any */
function inpage(...args: (string | NodeJS.ProcessEnv)[]): { code: number | null; out: string; err: string } {
  const words = args.filter((arg) => typeof arg === 'string');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: Object.assign({}, process.env, ...args.filter((arg) => typeof arg !== 'string')),
  });
  return { code: status, out: stdout, err: stderr };
}

it.each(['init', 'serve', 'test-server', 'record', 'pack'])(
  '`inpage %s --help` and `help %s` say how it is called, with examples',
  (command) => {
    const help = inpage(command, '--help');
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const part of [`inpage ${command}`, 'Options', 'Examples', `npx inpage ${command}`, 'Exit codes']) {
      expect(help.out).toContain(part);
    }
    expect(inpage('help', command).out).toBe(help.out);
  },
);

it('lists its commands, on request and with 2 when it was told none', () => {
  const { out, code } = inpage('--help');
  expect(code).toBe(0);
  expect(out).toMatch(/\n {2}init +Copies /);
  expect(out).toMatch(/\n {2}serve +Serves /);
  expect(out).toMatch(/\n {2}pack +Downloads /);
  expect(inpage()).toEqual({ code: 2, out, err: '' });
});

it.each([[['--version']], [['init', '--version']], [['serve', '--version']]])('%j is the package’s', (args) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(inpage(...args)).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

it.each(['16.20.2', '18.20.4', '20.18.0'])('Node %s is refused in a sentence', (version) => {
  const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, join(root, 'dist/cli.js'), '--help'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, `inpage: needs Node 20.19 or newer; this is ${version}.\n`]);
});

it.each<[string[], string]>([
  [['sevre'], '`sevre` is not a command. Did you mean `serve`?'],
  [['init'], '`inpage init` requires one folder, e.g. `npx inpage init public`.'],
  [['init', 'public', '--modles', 'x'], '`--modles` is not an option of `inpage init`. Did you mean `--models`?'],
  [['serve', '--host', 'gpu.example'], '`--host` must be 127.0.0.1, 0.0.0.0 or ::, not `gpu.example`.'],
  [
    ['serve', '--host', '0.0.0.0'],
    '`--host 0.0.0.0` requires a key: add `--key`, or `apiKeys` to the file of `--config`.',
  ],
  [['serve', '--port', 'many'], '`--port` must be a number from 0 to 65535, not `many`.'],
  [
    ['pack', 'owner/name', 'here', '--part-size', 'small'],
    '`--part-size` must be a size of 1MB or more, such as 24MB, not `small`.',
  ],
  [['pack', 'owner/name', 'here', '--device', 'gpu'], '`--device` must be one of auto, wasm, webgpu, not `gpu`.'],
  [['models', '--device', 'gpu'], '`--device` must be one of wasm, webgpu, not `gpu`.'],
  [
    ['serve', '--store-responses', 'always'],
    '`--store-responses` must be true, false, `memory`, or a size such as `64MB`, not `always`.',
  ],
  [
    ['serve', 'here'],
    '`here` is not a model: models are paths of .gguf files (`./model.gguf`) and repositories of the hub (`owner/name`, `owner/name:Q4_K_M`).',
  ],
  [['test-server', 'here'], '`inpage test-server` accepts options only, not `here`.'],
  [['test-server', '--port', 'many'], '`--port` must be a number from 0 to 65535, not `many`.'],
])('wrong arguments end with 2: %j', (args, message) => {
  expect(inpage(...args)).toEqual({ code: 2, out: '', err: `inpage: ${message}\n` });
});

it('`inpage models` lists what fits, the largest first', () => {
  const { code, out, err } = inpage('models', '--task', 'chat', '--device', 'webgpu', '--max-mb', '500');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^ {2}onnx-community\/Qwen2\.5-0\.5B-Instruct +chat, transformers, q4f16, 483 MB, 32768 tokens, apache-2\.0\. /,
  );
  expect(out.trim().split('\n')).toHaveLength(7);
  expect(inpage('models', '--max-mb', '1')).toMatchObject({ code: 1, out: '' });
});

it('`inpage models --entry` prints an entry to paste', () => {
  const gguf =
    "{ id: 'Qwen3-0.6B-GGUF', task: 'chat', backend: 'gguf', source: 'unsloth/Qwen3-0.6B-GGUF', file: '*0.6B-Q4_K_M.gguf' }\n";
  expect(inpage('models', '--entry', 'unsloth/Qwen3-0.6B-GGUF')).toEqual({ code: 0, out: gguf, err: '' });
  const both =
    "{ id: 'whisper-base', task: 'speech-to-text', backend: 'transformers', source: 'Xenova/whisper-base' }\n";
  expect(inpage('models', '--entry', 'whisper-base').out).toBe(both);
  expect(inpage('models', '--entry', 'whisper-bass').err).toContain('Did you mean `whisper-base`?');
});

describe('what cannot be done ends with 1 and says why, in one line', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };

  it.each<[string, string, RegExp]>([
    ['is not there', '', /^inpage: missing\.json: there is no such file or folder\.\n$/],
    ['is no JSON', '{ models: [] }', /^inpage: options\.json: is not JSON\. .+\n$/],
    ['is a list', '[]', /^inpage: options\.json: must be an object with options/],
    [
      'misspells a field',
      '{"models":[{"id":"a","task":"chat","backend":"scripted","script":{"replis":[]}}]}',
      /^inpage: options\.json: `models\.0\.script\.replis` is not .+Did you mean `replies`\?\n$/,
    ],
  ])('a file of options that %s', (_, text, message) => {
    const { code, err } = inpage('serve', '--config', text === '' ? 'missing.json' : write('options.json', text));
    expect(err).toMatch(message);
    expect(code).toBe(1);
  });

  it('a model that is not bundled', () => {
    const message = 'inpage: There is no bundled model `tinychat`. Did you mean `tiny-chat`?\n';
    expect(inpage('init', 'public', '--models', 'tinychat')).toEqual({ code: 1, out: '', err: message });
  });

  it('a model that cannot be had, with the file’s address', () => {
    const { code, err } = inpage('pack', 'owner/nothing', 'out', '--hub', 'http://127.0.0.1:9/');
    expect(err).toMatch(
      /^waiting to try again\ninpage: .*`config\.json`.*\(http:\/\/127\.0\.0\.1:9\/owner\/nothing\/resolve\/main\/config\.json\)\n$/,
    );
    expect(code).toBe(1);
    expect(inpage('pack', 'missing.json', 'out')).toEqual({
      code: 1,
      out: '',
      err: 'inpage: missing.json: there is no such file or folder.\n',
    });
  });

  describe('a port', () => {
    const other = createServer();
    beforeAll(() => new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve)));
    afterAll(() => other.close());

    it('that is taken', () => {
      const { port } = other.address() as AddressInfo;
      const { code, err } = inpage('serve', '--port', String(port));
      expect(err).toMatch(new RegExp(`^inpage: Port ${port} is taken\\. .*\`--port\`.*\\n$`));
      expect(code).toBe(1);
    });
  });
});

describe('`inpage record`', () => {
  it('serves, and keeps the answers in a file that `serve` takes', async () => {
    const file = join(folder, 'replies.json');
    const config = join(folder, 'model.json');
    const script = { replies: [{ text: 'Hello there.' }] };
    writeFileSync(config, JSON.stringify({ models: [{ id: 'm', task: 'chat', backend: 'scripted', script }] }));
    const flags = [file, '--port', '0', '--config', config];
    const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'record', ...flags]);
    const ended = once(child, 'exit');
    let baseURL: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      baseURL ??= /serving (\S+)/.exec(line)?.[1];
      if (line.includes('recording to')) break;
    }
    const messages = [{ role: 'user', content: 'Hi' }];
    const asked = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-0123456789abcdef0123' },
      body: JSON.stringify({ model: 'm', messages, stream: true }),
    });
    expect(await asked.text()).toContain('[DONE]');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('sk-0123');
    const { models } = JSON.parse(text) as { models: ModelEntry[] };
    expect(resolveOptions({ models }, { origin: 'http://x', pageURL: 'http://x/' }).gateway.models).toEqual(models);
    expect(text).toContain('"match":"Hi"');
  });

  it('refuses a file that holds something else, before it serves', () => {
    const file = join(folder, 'options.json');
    writeFileSync(file, '{"prefix": "/v1"}');
    expect(inpage('record', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not an Inpage recording'),
    });
    expect(inpage('record', join(folder, 'none/replies.json'))).toMatchObject({ code: 1 });
    expect(inpage('record')).toMatchObject({ code: 2, err: expect.stringContaining('requires one file') });
  });
});

it.each([
  [[], 1],
  [['--compatibility', 'service'], 1],
  [['--compatibility', 'hosted'], 0],
])('`inpage serve %j` says in one line which clients want `hosted`, where it is not', async (compatibility, hints) => {
  const config = join(folder, 'hinted.json');
  const script = { replies: [{ text: 'Hello there.' }] };
  writeFileSync(config, JSON.stringify({ models: [{ id: 'm', task: 'chat', backend: 'scripted', script }] }));
  const flags = ['--port', '0', '--config', config, ...compatibility];
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'serve', ...flags]);
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('serving')) child.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  const told = lines.filter((line) => line.includes('--compatibility hosted'));
  expect(told).toHaveLength(hints);
  for (const line of told)
    for (const client of ['coding agents', 'LangChain', 'the AI SDK', 'parse()']) expect(line).toContain(client);
});

it('`inpage serve --store-responses` stores what was answered, and follows it', async () => {
  const config = join(folder, 'stored.json');
  const script = { replies: [{ text: 'Hello there.' }] };
  writeFileSync(config, JSON.stringify({ models: [{ id: 'm', task: 'chat', backend: 'scripted', script }] }));
  const flags = ['--port', '0', '--config', config, '--store-responses', '1MB'];
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'serve', ...flags]);
  const ended = once(child, 'exit');
  let baseURL: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    baseURL = /serving (\S+)/.exec(line)?.[1];
    if (baseURL !== undefined) break;
  }
  const ask = async (body: object): Promise<{ id: string; store: boolean; usage: { input_tokens: number } }> => {
    const answer = await fetch(`${baseURL}/responses`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...body }),
    });
    return answer.json() as ReturnType<typeof ask>;
  };
  const first = await ask({ input: 'Hi' });
  expect(first.store).toBe(true);
  const next = await ask({ input: 'And?', previous_response_id: first.id });
  expect(next.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('`inpage test-server` answers by a file of replies, and says which variables lead to it', async () => {
  const script = { replies: [{ match: 'capital', text: 'Paris.' }] };
  const models = [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script }];
  const config = join(folder, 'test-server.json');
  writeFileSync(config, JSON.stringify({ models, apiKeys: ['sk-one'] }));
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'test-server', '--config', config]);
  const ended = once(child, 'exit');
  const env: Record<string, string> = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) env[name] = value;
    if (name === 'ANTHROPIC_API_KEY') break;
  }
  const ask = async (content: string): Promise<string> => {
    const answer = await fetch(`${env['OPENAI_BASE_URL']}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env['OPENAI_API_KEY']}` },
      body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }] }),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  expect(await ask('The capital of France?')).toMatch(/^200 .*"id":"chatcmpl-00000000-.*Paris\./);
  expect(await ask('Hello')).toMatch(/^400 /);
  expect(env['ANTHROPIC_BASE_URL']).toBe(new URL(env['OPENAI_BASE_URL']!).origin);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('`inpage test-server` names what is wrong in its file', () => {
  const config = join(folder, 'wrong.json');
  writeFileSync(config, JSON.stringify({ models: [{ id: 'x', task: 'chat', backend: 'gguf', source: 'a/b' }] }));
  expect(inpage('test-server', '--config', config)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/wrong\.json: The option `models\.0\.backend` must be `scripted` or `upstream`/),
  });
});
