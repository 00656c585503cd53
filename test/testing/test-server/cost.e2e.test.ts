import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parseAst } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const dist = join(root, 'dist');

/** Files of the test server alone. */
const isOfServer = (file: string): boolean => relative(dist, file).startsWith('test-server');

/** What a program of one answer says of itself. */
interface Told {
  /** Processor time of all its threads. */
  milliseconds: number;
  text: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inpage-cost-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ONE_ANSWER = `
  const begun = process.cpuUsage();
  const { startTestServer } = await import(${JSON.stringify(pathToFileURL(join(dist, 'test-server.js')).href)});
  const server = await startTestServer();
  server.use({ text: 'Hello!' });
  const body = JSON.stringify({ model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
  const { request } = await import('node:http');
  const text = await new Promise((done, fail) => {
    const asked = request(server.baseURL + '/chat/completions', { method: 'POST' }, async (answer) => {
      let text = '';
      for await (const piece of answer) text += piece;
      done(text);
    });
    asked.on('error', fail).end(body);
  });
  await server.close();
  const { user, system } = process.cpuUsage(begun);
  console.log(JSON.stringify({ milliseconds: (user + system) / 1000, text }));
`;

/** What Node alone takes for a server, a request and its end. */
const BARE_SERVER = `
  const begun = process.cpuUsage();
  const { createServer, request } = await import('node:http');
  const server = createServer((_, response) => response.end('[DONE]'));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const text = await new Promise((done, fail) => {
    const asked = request({ port: server.address().port, method: 'POST' }, async (answer) => {
      let text = '';
      for await (const piece of answer) text += piece;
      done(text);
    });
    asked.on('error', fail).end('{}');
  });
  await new Promise((done) => server.close(done));
  const { user, system } = process.cpuUsage(begun);
  console.log(JSON.stringify({ milliseconds: (user + system) / 1000, text }));
`;

/** What Node alone takes on the machine where 300 ms are the limit. */
const BARE_MS = 35;

describe('[Y05] the test server', () => {
  it('imports, starts, answers and closes in less than 300 ms of processor time', async () => {
    const costOf = async (source: string): Promise<number> => {
      const program = join(folder, 'one-answer.mjs');
      writeFileSync(program, source);
      const { stdout } = await run(process.execPath, [program]);
      const { milliseconds, text } = JSON.parse(stdout) as Told;
      expect(text).toContain('[DONE]');
      return milliseconds;
    };
    let [own, bare, limit] = [Infinity, Infinity, 300];
    // What else runs on the machine makes processor time longer too: the best of some runs is the program's own.
    for (let round = 0; round < 12 && own >= limit; round += 1) {
      own = Math.min(own, await costOf(ONE_ANSWER));
      bare = Math.min(bare, await costOf(BARE_SERVER));
      // A slower machine has more time.
      limit = 300 * Math.max(1, bare / BARE_MS);
    }
    expect(own).toBeLessThan(limit);
  });

  it('opens no file outside the package, in either thread', async () => {
    const log = join(folder, 'opened.txt');
    const spy = join(folder, 'spy.mjs');
    writeFileSync(spy, spyScript(log));
    writeFileSync(join(folder, 'program.mjs'), ONE_ANSWER);
    await run(process.execPath, ['--import', pathToFileURL(spy).href, join(folder, 'program.mjs')]);
    const opened = readFileSync(log, 'utf8').trim().split('\n');
    const threads = new Set(opened.map((line) => line.split(' ', 1)[0]));
    // Each thread says that it is watched.
    expect(threads).toEqual(new Set(['main', 'worker']));
    const files = opened.map((line) => line.slice(line.indexOf(' ') + 1)).filter((file) => file !== 'watched');
    const allowed = [pathToFileURL(join(folder, 'program.mjs')).href, `${pathToFileURL(dist).href}/`, `${dist}/`];
    expect(files.filter((file) => !allowed.some((start) => file.startsWith(start)))).toEqual([]);
    // What modules are read by is out of the spy's sight, so its imports must be its own files and Node's.
    for (const file of ['test-server.js', 'test-server-worker.js']) {
      const { files: reached, others } = importsOf(join(dist, file), { lazily: true });
      expect(others.filter((name) => !isBuiltin(name))).toEqual([]);
      expect(reached.filter((each) => !isOfServer(each))).toEqual([]);
    }
  });

  it('is loaded by no other entry of the package', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object };
    const entries = Object.entries(exports)
      .map(([name, target]) => [name, (target as { default?: string }).default ?? target] as const)
      .filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string' && entry[1].endsWith('.js'));
    expect(entries.map(([name]) => name)).toContain('.');
    expect(entries.length).toBeGreaterThan(8);
    for (const [name, target] of [...entries, ['the command', 'dist/cli.js'] as const]) {
      const { files } = importsOf(join(root, target), { lazily: false });
      // What an app's own server loads is one file.
      const own = name === './test-server/register' ? [join(root, target)] : [];
      expect({ name, of: files.filter(isOfServer) }).toEqual({ name, of: own });
    }
    expect(existsSync(join(dist, 'test-server-worker.js')) && readdirSync(dist).includes('test-server.js')).toBe(true);
  });
});

/** Files that a module imports, itself included, and what it imports that is no file. */
function importsOf(entry: string, { lazily }: { lazily: boolean }): { files: string[]; others: string[] } {
  const files = new Set<string>();
  const others = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of namesIn(readFileSync(file, 'utf8'), lazily)) {
      if (!name.startsWith('.')) others.add(name);
      else if (existsSync(resolve(dirname(file), name))) visit(resolve(dirname(file), name));
    }
  };
  visit(entry);
  return { files: [...files], others: [...others] };
}

/** What a module imports. @param lazily also what it imports only when it needs it */
function namesIn(code: string, lazily: boolean): string[] {
  const names: string[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(look);
    if (typeof node !== 'object' || node === null) return;
    const { type, source } = node as { type?: string; source?: { value?: unknown } };
    const isImport =
      type?.startsWith('Export') || type === 'ImportDeclaration' || (lazily && type === 'ImportExpression');
    if (isImport && typeof source?.value === 'string') names.push(source.value);
    Object.values(node).forEach(look);
  };
  look(parseAst(code).body);
  return names;
}

/** Notes what a thread opens, and watches the threads that it starts. */
function spyScript(log: string): string {
  return `
    import fs from 'node:fs';
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const append = fs.appendFileSync.bind(fs);
    const thread = threads.isMainThread ? 'main' : 'worker';
    let isNoting = false;
    const note = (file) => {
      if (isNoting) return;
      isNoting = true;
      append(${JSON.stringify(log)}, thread + ' ' + String(file) + '\\n');
      isNoting = false;
    };
    const readers = ['open', 'openSync', 'readFile', 'readFileSync', 'readdir', 'readdirSync', 'createReadStream', 'opendir', 'opendirSync'];
    for (const where of [fs, fs.promises]) for (const name of readers) {
      const own = where[name];
      if (typeof own === 'function') where[name] = function (file, ...rest) { note(file); return own.call(this, file, ...rest); };
    }
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(file, options) { super(file, { ...options, execArgv: ['--import', import.meta.url] }); }
    };
    syncBuiltinESMExports();
    note('watched');
  `;
}
