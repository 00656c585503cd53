/** The page "Run a model file", line by line: what it says to type, and what it says is printed then. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { readDocument, root } from './support/code-blocks.js';

const PAGE = 'demo/docs/serve.md';
const text = readDocument(PAGE);
/** The blocks of code, without their fences. */
const blocks = [...text.matchAll(/^```(?:sh|json)?\n([^]*?)^```/gm)].map(([, block]) => block!.trimEnd());
const lines = blocks.flatMap((block) => block.split('\n'));
const lineWith = (part: string): string => lines.find((line) => line.includes(part))!;

const folder = mkdtempSync(join(tmpdir(), 'inpage-page-'));
copyFileSync(join(root, 'public/models/tiny-chat/tiny-chat-Q8_0.gguf'), join(folder, 'model.gguf'));
mkdirSync(join(folder, 'cache'));
const env = { ...process.env, INPAGE_CACHE: join(folder, 'cache'), HF_ENDPOINT: 'http://127.0.0.1:1' };
afterAll(() => rmSync(folder, { recursive: true }));

/** `npx inpage` is this package's program. */
const typed = (line: string): string =>
  line.replace(/^npx inpage/, `'${process.execPath}' '${join(root, 'dist/cli.js')}'`);
const run = async (line: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', typed(line)], { cwd: folder, env })).stdout;

async function served(line: string, use: (printed: string, baseURL: string) => Promise<void>): Promise<void> {
  const child = spawn('sh', ['-c', `exec ${typed(line)}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  try {
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/\n.*\n/);
    await use(printed, /http:\S+/.exec(printed)![0]);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

it('[Y39] [Y42] five minutes, from nothing: a file, its first line, and a question', async () => {
  const port = String(await freePort());
  const onPort = (line: string): string => line.replaceAll('8080', port);
  await served(onPort(lineWith('serve ./model.gguf')), async (printed) => {
    const [first, ask] = printed.split('\n');
    expect(first).toBe(onPort(lineWith('inpage: serving')));
    const question = onPort(lineWith('curl '));
    expect(ask).toContain(question);
    expect(JSON.parse(await run(question))).toMatchObject({ model: 'model', choices: [{ finish_reason: 'stop' }] });
  });
});

it('[Y39] one question without a server', async () => {
  expect(await run(lineWith('inpage try'))).toContain('Paris');
});

it('[Y41] the file of options, whose `source` is relative to it', async () => {
  writeFileSync(
    join(folder, 'inpage.json'),
    blocks.find((block) => block.includes('"models"'))!,
  );
  await served('npx inpage serve --port 0 --config inpage.json', async (printed, baseURL) => {
    expect(printed).toMatch(/^inpage: serving \S+ with mine\n/);
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 2 });
    expect((await fetch(`${baseURL}/chat/completions`, { method: 'POST', body })).status).toBe(200);
  });
});

it('[Y48] the cache: what is there, and what is not', async () => {
  const [list, remove, removeAll] = lines.filter((line) => line.startsWith('npx inpage cache'));
  expect(await run(list!)).toBe(`${env.INPAGE_CACHE}\n`);
  await expect(run(remove!)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('owner/name') as string,
  });
  expect(await run(removeAll!)).toBe('');
});
