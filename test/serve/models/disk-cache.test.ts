/** What is fetched once is used by the next run, with a network or without one; and what an operator is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { warnOnce } from '../../../src/serve/operator-log.js';
import { diskCacheStore, locksFolder } from '../../../src/serve/models/disk-cache.js';
import { FileLocks } from '../../../src/serve/models/file-locks.js';
import type { ModelFiles } from '../../../src/store/model-files.js';
import { openModelFiles } from '../../../src/store/open-model-files.js';
import { type FaultServer, startFaultServer } from '../../store/support/fault-server.js';
import { hubFiles } from '../../store/support/hub-server.js';

const BYTES = new Uint8Array(100_000).fill(7);
let folder: string;
let hub: FaultServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inpage-cache-'));
  hub = await startFaultServer(hubFiles('owner/name', { 'model.gguf': BYTES }));
});
afterEach(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

/** As a run of its own. */
function run(): Promise<ModelFiles> {
  const store = diskCacheStore(folder, new FileLocks(locksFolder(folder)), {});
  const load = { onProgress: () => {}, signal: new AbortController().signal };
  return openModelFiles({ id: 'm' }, `${hub.url.replace(/\/*$/, '/')}owner/name/resolve/main/`, load, store);
}

it('[Y44] [Y46] two runs fetch a file once, and later ones none, also without a network', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const [first, second] = await Promise.all([run(), run()]);
  const contents = await Promise.all([first, second].map(async (files) => (await files.read('model.gguf'))!.bytes()));
  expect(contents.map(({ length }) => length)).toEqual([BYTES.length, BYTES.length]);
  const ofFile = (): number =>
    fetched.mock.calls.filter(([url]) => String(url instanceof Request ? url.url : url).includes('/resolve/')).length;
  expect(ofFile()).toBe(1);
  await hub.close();
  const later = await run();
  expect(await later.stored()).toEqual(['model.gguf']);
  expect(await (await later.read('model.gguf'))!.bytes()).toEqual(BYTES);
  expect(ofFile()).toBe(1);
  fetched.mockRestore();
  hub = await startFaultServer({});
});

it('[Y43] the same failure is told once a minute, in one line', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  for (const now of [0, 1, 59_999, 60_001]) warnOnce('a: it\nfailed', now);
  warnOnce('b: it failed', 2);
  write.mockRestore();
  expect(written).toEqual(['inpage: a: it failed\n', 'inpage: a: it failed\n', 'inpage: b: it failed\n']);
});
