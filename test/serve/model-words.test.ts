/** Models by words: files, and repositories of a hub. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { openGguf } from '../../src/engines/gguf/gguf-source.js';
import { diskCacheStore, locksFolder } from '../../src/serve/models/disk-cache.js';
import { FileLocks } from '../../src/serve/models/file-locks.js';
import { isModelWord, resolveWords } from '../../src/serve/model-words.js';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { type FaultServer, startFaultServer } from '../store/support/fault-server.js';
import { hubFiles } from '../store/support/hub-server.js';

const MODEL = tinyFile({ kind: 'F32' });
const RANKER = tinyFile({ kind: 'F32', metadata: { 'llama.pooling_type': 4 } });

let folder: string;
let hub: FaultServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inpage-words-'));
  vi.stubEnv('INPAGE_CACHE', join(folder, 'cache'));
  hub = await startFaultServer({
    ...hubFiles('owner/Tiny-GGUF', {
      'tiny-Q4_K_M.gguf': MODEL,
      'tiny-Q8_0.gguf': MODEL,
      'mmproj-tiny-Q8_0.gguf': MODEL,
      'README.md': new TextEncoder().encode('# Tiny'),
    }),
    ...hubFiles('owner/onnx', { 'config.json': new TextEncoder().encode('{"architectures":["BertModel"]}') }),
  });
});
afterEach(async () => {
  await hub.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const resolve = (...words: string[]) => resolveWords(words, { folder, hub: hub.url });

describe('[Y39] files', () => {
  it('have the id of their name, and the task of their content', async () => {
    writeFileSync(join(folder, 'a.b.gguf'), MODEL);
    writeFileSync(join(folder, 'ranker.GGUF'), RANKER);
    writeFileSync(join(folder, 'blob'), MODEL);
    const url = (name: string): string => pathToFileURL(join(folder, name)).href;
    expect(await resolve('./a.b.gguf', 'ranker.GGUF', './blob')).toEqual([
      { id: 'a.b', task: 'chat', backend: 'gguf', source: url('a.b.gguf') },
      { id: 'ranker', task: 'rerank', backend: 'gguf', source: url('ranker.GGUF') },
      { id: 'blob', task: 'chat', backend: 'gguf', source: `${url('blob')}#.gguf` },
    ]);
    expect(await resolve(url('a.b.gguf'))).toMatchObject([{ id: 'a.b' }]);
  });

  it('that are not there, are no GGUF, or have an id twice, are refused by name', async () => {
    writeFileSync(join(folder, 'text.gguf'), 'no model');
    writeFileSync(join(folder, 'a.gguf'), MODEL);
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/a.gguf'), MODEL);
    await expect(resolve('./none.gguf')).rejects.toThrow(/^\.\/none\.gguf: .*none\.gguf/);
    await expect(resolve('./text.gguf')).rejects.toThrow(/^\.\/text\.gguf: .*not a GGUF file/);
    await expect(resolve('./a.gguf', 'other/a.gguf')).rejects.toThrow(/^other\/a\.gguf: .*`a`/);
    await expect(resolve('./other')).rejects.toThrow(/^\.\/other: .*folder/);
  });

  it('are told from repositories by their form', () => {
    for (const word of [
      '/x',
      './x',
      '../x',
      '~/x',
      'C:\\x',
      'x.gguf',
      'a/b.gguf',
      'file:///x',
      'owner/name',
      'owner/name:Q8_0',
    ])
      expect([word, isModelWord(word)]).toEqual([word, true]);
    for (const word of ['tiny-chat', 'a/b/c', 'https://x.test/a.gguf', '', 'owner/', 'a b/c'])
      expect([word, isModelWord(word)]).toEqual([word, false]);
  });
});

describe('[Y40] repositories', () => {
  it('are one file: the preferred one, or that of the kind, in any case', async () => {
    const entry = { task: 'chat', backend: 'gguf', source: 'owner/Tiny-GGUF' };
    expect(await resolve('owner/Tiny-GGUF', 'owner/Tiny-GGUF:q8_0')).toEqual([
      { ...entry, id: 'owner/Tiny-GGUF', file: 'tiny-Q4_K_M.gguf' },
      { ...entry, id: 'owner/Tiny-GGUF:q8_0', file: 'tiny-Q8_0.gguf' },
    ]);
    expect(await resolve('owner/onnx')).toEqual([
      { id: 'owner/onnx', task: 'embeddings', backend: 'transformers', source: 'owner/onnx' },
    ]);
  });

  it('[Y44] that are kept ask the hub for one list, and their load for nothing', async () => {
    const load = {
      pageURL: hub.url,
      hub: hub.url,
      onProgress: () => {},
      signal: new AbortController().signal,
    };
    const cache = join(folder, 'cache');
    const environment = diskCacheStore(cache, new FileLocks(locksFolder(cache)), {});
    const [entry] = await resolve('owner/Tiny-GGUF');
    const open = () => openGguf(entry as ModelEntry, load, () => undefined, { environment });
    await (await open()).fetch('load');
    hub.requests.length = 0;
    expect(await resolve('owner/Tiny-GGUF')).toEqual([entry]);
    const source = await open();
    await source.fetch('load');
    for await (const _ of source.weights());
    expect(hub.requests.map((line) => line.split('?')[0])).toEqual([expect.stringMatching(/^GET api\/models\//)]);
  });

  it('that are not there, or have no such kind, are refused with what there is', async () => {
    await expect(resolve('owner/none')).rejects.toThrow(/^owner\/none: there is no repository/);
    await expect(resolve('owner/Tiny-GGUF:Q5_K_M')).rejects.toThrow(/`Q5_K_M`: it has `Q4_K_M`, `Q8_0`/);
    await expect(resolve('owner/onnx:Q4_0')).rejects.toThrow(/it has no GGUF files/);
    const { url } = hub;
    await hub.close();
    await expect(resolveWords(['owner/Tiny-GGUF'], { folder, hub: url })).rejects.toThrow(/gave no list .*cache/);
    hub = await startFaultServer({});
  });
});
