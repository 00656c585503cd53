import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findUnsupported } from '../../.ci/find-unsupported.js';

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
  },
  include: ['src'],
};

it('finds what the oldest browsers lack, and nothing else', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-browsers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const lines = [
    'export async function* all(stream: ReadableStream<string>, own: AsyncIterable<string>) {',
    'for await (const text of stream) console.log(text);',
    'yield* stream;',
    'for await (const text of own) console.log(text);',
    'yield await Array.fromAsync([1]);',
    'yield URL.canParse("x");',
    'yield URL.canParse?.("x");',
    'yield AbortSignal.any([AbortSignal.timeout(1)]);',
    'yield [1].values().map(String);',
    'yield [1].map(String).toSorted();',
    '}',
  ];
  writeFileSync(join(folder, 'src/a.ts'), lines.join('\n'));
  writeFileSync(join(folder, 'src/node.ts'), 'URL.canParse("x");');
  const found = findUnsupported(folder, (file) => file === 'src/a.ts');
  expect(found.map(({ line, name }) => `${line} ${name}`)).toEqual([
    '2 ReadableStream.@@asyncIterator',
    '3 ReadableStream.@@asyncIterator',
    '5 Array.fromAsync',
    '6 URL.canParse',
    '9 Iterator.map',
  ]);
  expect(found[0]!.has).toMatch(/chrome from 124 on, safari from \d+/);
});
