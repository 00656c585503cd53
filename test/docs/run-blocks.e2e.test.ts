/** The code of the README and of `demo/docs/`: all of it is checked, and what can run is run, with the built package. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright';
import { loadConfigFromFile } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SNIPPETS } from '../../demo/wire/code-snippet.js';
import type { WireRequest } from '../../demo/wire/wire-log.js';
import { connectToSharedChromium } from '../e2e/support/shared-chromium.js';
import { newContext } from '../e2e/support/host-page.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { freePort } from '../support/free-port.js';
import { type CodeBlock, codeBlocks, readDocument, root, shellLines } from './support/code-blocks.js';
import { emptyFolder, importsOf, makeSite, putBlock, workshop } from './support/docs-site.js';

const CLI = join(root, 'dist/cli.js');
const NODE_ENTRIES = /^(inpage\/(vite|serve|playwright)|node:|@playwright)/;

/** What blocks write into their page that put an answer there, by what they ask or are given. */
const SHOWN: readonly [asked: string, shown: string][] = [
  ['capital of France', 'Paris'],
  ['temperature: 9', '9 degrees'],
];
const shownBy = (text: string): string | undefined =>
  text.includes('document.body.append') ? SHOWN.find(([asked]) => text.includes(asked))?.[1] : undefined;

const blocks = codeBlocks();
const code = blocks.filter(({ language, words }) => /^(ts|tsx|js)$/.test(language) && !words.includes('fragment'));
const runnable = code.filter(({ words }) => !words.includes('no-run'));
const forPages = runnable.filter((block) => !block.file && !importsOf(block).some((name) => NODE_ENTRIES.test(name)));
const titled = (some: readonly CodeBlock[]) => some.map((block) => [`${block.page}:${block.line}`, block] as const);

/** Of a file, or of all files in a folder. */
function bytesOf(path: string): number {
  if (statSync(path).isFile()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

/** What the playground shows as code, where the client is at hand: requests of each kind, in each way that fits them. */
function snippets(): [name: string, code: string][] {
  const messages = [{ role: 'user', content: "What's 17 + 25?" }];
  const requests: WireRequest[] = [
    { path: '/chat/completions', sentAs: 'json', body: { model: 'tiny-chat', messages, stream: true, max_tokens: 9 } },
    { path: '/messages', sentAs: 'json', body: { model: 'tiny-chat', max_tokens: 64, messages, stream: true } },
    { path: '/responses', sentAs: 'json', body: { model: 'tiny-chat', input: messages, stream: true } },
    { path: '/embeddings', sentAs: 'json', body: { model: 'tiny-embed', input: ['one', 'two'] } },
    {
      path: '/audio/transcriptions',
      sentAs: 'form',
      body: { model: 'tiny-whisper', file: 'en-2.wav', stream: 'true' },
    },
    { path: '/audio/transcriptions', sentAs: 'sound', body: { model: 'tiny-whisper', stream: 'true', rate: 48_000 } },
  ];
  return requests.flatMap((request) =>
    Object.entries(SNIPPETS)
      .filter(([name, { fits }]) => !['curl', 'langchain'].includes(name) && fits(request))
      .map(([name, { write }]): [string, string] => [
        `wire${request.path.replaceAll('/', '-')}-${request.sentAs}-${name}`,
        write(request),
      ]),
  );
}

describe('the code of the documents and of the playground', () => {
  it('is TypeScript that fits the built package', () => {
    const folder = emptyFolder('types');
    for (const { page, line, language, code: source } of code) {
      const name = `${page.replaceAll(/[^\w]/g, '-')}-${line}.${language}`;
      writeFileSync(join(folder, name), `${source}\nexport {};\n`);
    }
    for (const [name, snippet] of snippets()) writeFileSync(join(folder, `${name}.ts`), `${snippet}\nexport {};\n`);
    const compilerOptions = {
      noUnusedLocals: false,
      types: ['node'],
      allowJs: true,
      jsx: 'react-jsx',
      jsxImportSource: 'react',
      paths: { '@playwright/test': [join(root, 'node_modules/playwright/test.d.ts')] },
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['.'] }),
    );
    let problems = '';
    try {
      execFileSync('npx', ['tsc', '--noEmit', '-p', folder], { cwd: root, encoding: 'utf8' });
    } catch (thrown) {
      problems = (thrown as { stdout: string }).stdout;
    }
    expect(problems).toBe('');
  });

  it('has enough of everything to be worth a test', () => {
    expect(forPages.length).toBeGreaterThan(8);
    expect(code.length - forPages.length).toBeGreaterThan(3);
  });

  it('of each recipe says something that is read below', () => {
    const recipes = forPages.filter(({ page }) => page.startsWith('demo/docs/recipes'));
    const silent = recipes.filter(
      ({ code: text }) => shownBy(text) === undefined && !/console\.log\(.*\); \/\/ .+$/m.test(text),
    );
    expect(recipes.length).toBeGreaterThan(3);
    expect(silent.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});

describe('in a page', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let site: string;
  beforeAll(async () => {
    site = await makeSite(forPages);
    server = await serveFolder(site, false);
    browser = await connectToSharedChromium();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('needs as many megabytes beside its bundle as install.md says', () => {
    const stated = readDocument('demo/docs/install.md').replaceAll(/\s+/g, ' ');
    const megabytes = (...paths: string[]): string =>
      `${Math.round(paths.reduce((sum, at) => sum + bytesOf(at), 0) / 1e6)} MB`;
    const wasm = (name: string): string => megabytes(join(site, `inpage/ort-wasm-simd-threaded${name}.wasm`));
    const models = join(site, 'models');
    expect(stated).toContain(`ONNX Runtime is ${wasm('')} for WASM and ${wasm('.asyncify')} more for WebGPU`);
    expect(stated).toContain(`the bundled models ${megabytes(models)}`);
  });

  it.each(titled(forPages))('%s runs, and says what its comments say', async (_, block) => {
    // Scripts that the same document has beside this block, such as a Service Worker.
    for (const { file, code: text } of runnable.filter(
      ({ page, file }) => page === block.page && file?.endsWith('.js'),
    ))
      writeFileSync(join(site, file ?? ''), text);
    const context = await newContext(browser);
    const page = await context.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await page.goto(server.origin);
    await page.evaluate(`import('${await putBlock(block, site)}')`);
    for (const [, expected] of block.code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm))
      expect(said).toContain(expected);
    expect(await page.innerText('body')).toContain(shownBy(block.code) ?? '');
    await context.close();
  });

  it('model-files.md keeps a page that was open once, for when the network is gone', async () => {
    const block = forPages.find(({ code: text }) => text.includes("'ready to work offline'"))!;
    const worker = runnable.find(({ page, file }) => page === block.page && file === 'sw.js')!;
    writeFileSync(join(site, 'sw.js'), worker.code);
    const own = await serveFolder(site, false);
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(own.origin);
    const path = await putBlock(block, site);
    await page.evaluate(`import('${path}')`);
    await own.close();
    await page.reload();
    await page.evaluate(`import('${path}')`);
    const models = await page.evaluate(`fetch('/v1/models').then((response) => response.json())`);
    expect(models).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: 'tiny-chat' })]) });
    await context.close();
  });
});

describe('in Node', () => {
  it.each(titled(runnable.filter(({ file }) => file === 'vite.config.ts')))('%s is a config', async (_, block) => {
    const file = join(emptyFolder('config'), 'vite.config.ts');
    writeFileSync(file, block.code);
    const loaded = await loadConfigFromFile({ command: 'build', mode: 'production' }, file);
    expect(loaded?.config.plugins?.map((plugin) => plugin && 'name' in plugin && plugin.name)).toContain('inpage');
  });

  it.each(titled(runnable.filter((block) => importsOf(block).includes('inpage/serve'))))(
    '%s serves',
    async (_, block) => {
      const file = join(emptyFolder('serve'), 'serve.ts');
      const here = JSON.stringify({ port: await freePort() });
      writeFileSync(file, block.code.replace('{ port: 8080 }', here));
      const runner = join(root, '.ci/run-ts.mjs');
      const { stdout } = await promisify(execFile)(process.execPath, [runner, file], { cwd: root });
      expect(stdout).toContain('tiny-chat');
    },
  );
});

describe('in a shell', () => {
  it.each(shellLines().filter(({ command }) => command.startsWith('npx inpage init')))(
    '$command ($page) fills the folder',
    ({ command }) => {
      const folder = emptyFolder('init');
      execFileSync(process.execPath, [CLI, ...command.split(' ').slice(2)], { cwd: folder });
      expect(existsSync(join(folder, 'public/inpage-sw.js'))).toBe(true);
    },
  );

  it('npx inpage serve answers curl', async () => {
    const port = String(await freePort());
    const [serve, curl] = ['npx inpage serve --port', 'curl'].map((start) => {
      const line = shellLines().find(({ command }) => command.startsWith(start));
      return (line?.command ?? '').replace('8080', port);
    });
    const args = (serve ?? '').split(' ').slice(2);
    const server = spawn(process.execPath, [CLI, ...args]);
    try {
      await once(server.stdout, 'data');
      expect(execFileSync('sh', ['-c', `${curl} -s`], { encoding: 'utf8' })).toContain('tiny-whisper');
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
});
