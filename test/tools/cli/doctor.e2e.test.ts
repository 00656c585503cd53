/** `inpage doctor` of the built package. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { demoOrigin } from '../../e2e/support/demo-origin.js';
import { countingModel } from '../../e2e/support/host-page.js';
import { executablePath } from '../../support/chromium.js';
import { serveFolder } from '../../e2e/support/serve-demo.js';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'inpage-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

function doctor(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const browser = executablePath === undefined ? [] : ['--chromium', executablePath];
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'doctor', ...args, ...browser]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

it('says line by line what it found on a page that is right, and ends with 0', async () => {
  const hash = encodeURIComponent(JSON.stringify({ models: [countingModel(1, 0)] }));
  const { code, out, err } = await doctor(`${demoOrigin()}/host.html#${hash}`);
  expect(err).toBe('');
  expect(out).toMatch(/^ok +versions: inpage \d/);
  expect(out).toMatch(/\nok +started: inference runs with 1 models\n/);
  expect(out).toMatch(/\nok +service-worker-script: \/inpage-sw\.js /);
  expect(out).toContain('\nNo problem found.\n');
  expect(code).toBe(0);
});

it('a page whose script is an old copy, and where nothing starts: ends with 1', async () => {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>App</title>');
  writeFileSync(join(folder, 'inpage-sw.js'), '// older');
  const server = await serveFolder(folder);
  try {
    const { code, out } = await doctor(`${server.origin}/`);
    expect(out).toMatch(/\nwarning +started: `startInference` was not called on this page\n +-> /);
    expect(out).toMatch(/\nPROBLEM +service-worker-script: .*\/inpage-sw\.js is of another version of inpage\n +-> /);
    expect(out).toMatch(/\nPROBLEM +runtime-files: .*404\n +-> .*npx inpage init/);
    expect(code).toBe(1);
    const findings = JSON.parse((await doctor(`${server.origin}/`, '--json')).out) as { check: string }[];
    expect(findings.map(({ check }) => check)).toContain('storage');
  } finally {
    await server.close();
  }
});

it('a page that cannot be opened, and arguments that are wrong', async () => {
  expect(await doctor('http://localhost:9/')).toMatchObject({
    code: 1,
    err: expect.stringContaining('http://localhost:9/ could not be opened') as string,
  });
  expect((await doctor('here')).code).toBe(2);
});
