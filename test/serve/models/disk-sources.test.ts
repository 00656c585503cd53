/** Paths as sources, and the cache's folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cacheFolder } from '../../../src/serve/models/cache-folder.js';
import { withDiskSources } from '../../../src/serve/models/disk-sources.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'inpage-sources-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const sourceOf = (entry: object): unknown => withDiskSources({ models: [entry] }, folder).models[0];

it('[Y41] a path is relative to its folder, absolute or a URL, and all else stays', () => {
  const url = (path: string): string => pathToFileURL(join(folder, path)).href;
  const gguf = { id: 'a', task: 'chat', backend: 'gguf' };
  for (const source of ['./a#b.gguf', join(folder, 'a#b.gguf'), url('a#b.gguf')])
    expect(sourceOf({ ...gguf, source })).toEqual({ ...gguf, source: url('a#b.gguf') });
  expect(sourceOf({ ...gguf, source: '~/x.gguf' })).toEqual({
    ...gguf,
    source: pathToFileURL(join(homedir(), 'x.gguf')).href,
  });
  // A file without the usual ending is one of its folder.
  mkdirSync(join(folder, 'blobs'));
  writeFileSync(join(folder, 'blobs/sha256-1'), '');
  const blob = { ...gguf, source: `${url('blobs/sha256-1')}#.gguf` };
  expect(sourceOf({ ...gguf, source: './blobs/sha256-1' })).toEqual(blob);
  // Once more, as the gateway does: nothing changes.
  expect(sourceOf(blob)).toEqual(blob);
  for (const source of ['owner/name', 'https://x.test/a.gguf'])
    expect(sourceOf({ ...gguf, source })).toEqual({ ...gguf, source });
  const lora = { source: './style.gguf', scale: 1 };
  expect(sourceOf({ ...gguf, loras: [lora] })).toEqual({ ...gguf, loras: [{ scale: 1, source: url('style.gguf') }] });
  const upstream = { id: 'u', task: 'chat', backend: 'upstream', source: '/v1' };
  expect(sourceOf(upstream)).toBe(upstream);
  for (const models of [undefined, 'x', [null, 5]]) expect(withDiskSources({ models }, folder)).toEqual({ models });
});

it('[Y47] the cache is where the variable says, else where the platform has caches', () => {
  const at = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string =>
    cacheFolder(environment, platform, '/home/me');
  expect(at({ INPAGE_CACHE: '/c', XDG_CACHE_HOME: '/x' }, 'linux')).toBe('/c');
  expect(at({ INPAGE_CACHE: '', XDG_CACHE_HOME: '/x' }, 'linux')).toBe('/x/inpage');
  expect(at({ XDG_CACHE_HOME: '' }, 'linux')).toBe('/home/me/.cache/inpage');
  expect(at({}, 'darwin')).toBe('/home/me/Library/Caches/inpage');
  expect(at({ LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local' }, 'win32')).toBe(
    'C:\\Users\\me\\AppData\\Local\\inpage\\cache',
  );
});
