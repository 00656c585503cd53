/** GGUF files as `inpage pack` takes them, with their adapters. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { planTextModel, withAdapters } from '../../../../src/engines/gguf/assemble-text-model.js';
import { fetchTogether } from '../../../../src/engines/gguf/adapter-files.js';
import { openAdapters } from '../../../../src/engines/gguf/gguf-adapters.js';
import { openGguf } from '../../../../src/engines/gguf/gguf-source.js';
import { type PackOptions, packModel } from '../../../../src/tools/cli/pack/pack-model.js';
import { readEntry } from '../../../../src/tools/cli/read-entry.js';
import { PACK_MANIFEST, type PackManifest } from '../../../../src/store/sources/pack-manifest.js';
import { tinyAdapter } from '../../../engines/gguf/support/tiny-adapter.js';
import { tinyFile } from '../../../engines/gguf/support/tiny-file.js';
import { type FaultServer, sha256Of, startFaultServer } from '../../../store/support/fault-server.js';
import { hubFiles } from '../../../store/support/hub-server.js';
import { testStore } from '../../../store/support/node-store.js';

const MB = 2 ** 20;
const SHAPE = { kind: 'F32', width: 256, inner: 1024 } as const;
const MODEL = tinyFile(SHAPE);
const [STYLE, SQL] = [3, 4].map((seed) => tinyAdapter({ model: SHAPE, seed })) as [Uint8Array, Uint8Array];

let server: FaultServer;
let place: string;
beforeEach(async () => {
  server = await startFaultServer({
    ...hubFiles('owner/Tiny-GGUF', {
      'tiny-Q4_K_M.gguf': MODEL,
      'tiny-Q8_0.gguf': MODEL,
      'README.md': new TextEncoder().encode('# Tiny'),
    }),
    ...hubFiles('owner/sql', { 'sql-F16.gguf': SQL, 'other.bin': SQL }),
    'far/tiny-Q4_K_M.gguf': STYLE,
  });
  place = mkdtempSync(join(tmpdir(), 'inpage-pack-gguf-'));
});
afterEach(async () => {
  await server.close();
  rmSync(place, { recursive: true });
});

const folder = (): string => join(place, 'out');
const onDisk = (): string[] => readdirSync(folder(), { recursive: true, encoding: 'utf8' }).toSorted();
const pack = (entry: string | object, more: Partial<PackOptions> = {}) =>
  packModel(readEntry(typeof entry === 'string' ? entry : JSON.stringify(entry)), {
    folder: folder(),
    hubURL: server.url,
    ...more,
  });
const manifest = (): PackManifest => JSON.parse(readFileSync(join(folder(), PACK_MANIFEST), 'utf8')) as PackManifest;

/** Fetches what the packed entry names, from the served folder alone. @returns names of the files */
async function fetchPacked(entry: ModelEntry): Promise<string[]> {
  server.files.clear();
  for (const name of onDisk()) server.files.set(`models/out/${name}`, readFileSync(join(folder(), name)));
  const store = testStore({ fetch });
  const options = { pageURL: server.url, hub: server.url, onProgress: () => {}, signal: new AbortController().signal };
  const source = await openGguf(entry, options, (header) => planTextModel(entry, header), { environment: store });
  const adapters = await openAdapters(entry, options, source, store);
  withAdapters(entry, source.plan, adapters);
  await fetchTogether([source, ...adapters]);
  return [source, ...adapters].map(({ file }) => file);
}

describe('a pack of a GGUF file', () => {
  it('has the file that is named and nothing of the others', async () => {
    const { entry } = await pack({ id: 'tiny', backend: 'gguf', source: 'owner/Tiny-GGUF', file: '*Q8_0.gguf' });
    expect(onDisk()).toEqual(['README.md', PACK_MANIFEST, 'tiny-Q8_0.gguf'].toSorted());
    expect(entry).toMatchObject({ id: 'tiny', task: 'chat', source: '/models/out', file: 'tiny-Q8_0.gguf' });
    expect(manifest().files['tiny-Q8_0.gguf']!.sha256).toBe(sha256Of(MODEL));
    expect(server.requests.some((line) => line.startsWith('GET') && line.includes('Q4_K_M'))).toBe(false);
    expect(await fetchPacked(entry)).toEqual(['tiny-Q8_0.gguf']);
  });

  it('is of the URL of a file, in parts', async () => {
    const { entry } = await pack(`${server.url}owner/Tiny-GGUF/resolve/main/tiny-Q4_K_M.gguf`, { partBytes: MB });
    const parts = Array.from({ length: Math.ceil(MODEL.length / MB) }, (_, part) => `tiny-Q4_K_M.gguf.${part}`);
    expect(parts.length).toBeGreaterThan(1);
    expect(onDisk()).toEqual(['README.md', PACK_MANIFEST, ...parts].toSorted());
    expect(await fetchPacked(entry)).toEqual(['tiny-Q4_K_M.gguf']);
  });

  it('has its adapters, from wherever they are', async () => {
    const told: number[] = [];
    const loras = [
      { source: `${server.url}far/tiny-Q4_K_M.gguf`, scale: 0.5 },
      { source: 'owner/sql', file: '*F16.gguf', id: 'sql' },
    ];
    const named = { id: 'tiny', backend: 'gguf', source: 'owner/Tiny-GGUF', file: '*Q4_K_M.gguf', loras };
    const { entry, bytes } = await pack(named, { onTotal: (total) => told.push(total) });
    const names = ['tiny-Q4_K_M.gguf', 'adapter-1-tiny-Q4_K_M.gguf', 'sql-F16.gguf'];
    expect(onDisk()).toEqual([...names, 'README.md', PACK_MANIFEST].toSorted());
    expect(entry.loras).toEqual([
      { source: '/models/out', file: names[1], scale: 0.5 },
      { source: '/models/out', file: names[2], id: 'sql' },
    ]);
    expect(told).toEqual([bytes]);
    expect([names[1]!, names[2]!].map((name) => manifest().files[name]!.sha256)).toEqual([STYLE, SQL].map(sha256Of));
    expect(await fetchPacked(entry)).toEqual(names);
  });

  it('has adapters of other folders of the disk', async () => {
    mkdirSync(join(place, 'styles'));
    writeFileSync(join(place, 'tiny.gguf'), MODEL);
    writeFileSync(join(place, 'styles/style.gguf'), STYLE);
    const at = (path: string): string => pathToFileURL(join(place, path)).href;
    const loras = [{ source: at('styles/style.gguf'), id: 'style' }];
    const { entry } = await pack({ id: 'tiny', backend: 'gguf', source: at('tiny.gguf'), loras });
    expect(await fetchPacked(entry)).toEqual(['tiny.gguf', 'style.gguf']);
  });

  it('is refused with an adapter that does not fit, before any weights', async () => {
    server.files.set('far/tiny-Q4_K_M.gguf', tinyAdapter({ model: { ...SHAPE, width: 512 } }));
    const loras = [{ source: `${server.url}far/tiny-Q4_K_M.gguf` }];
    const packing = pack({ id: 'tiny', backend: 'gguf', source: 'owner/Tiny-GGUF', file: '*Q8_0.gguf', loras });
    await expect(packing).rejects.toMatchObject({ code: 'model_not_supported' });
    expect(server.sent).toBeLessThan(MODEL.length);
    const relative = { id: 'tiny', backend: 'gguf', source: 'owner/Tiny-GGUF', loras: [{ source: '/a.gguf' }] };
    expect(() => readEntry(JSON.stringify(relative))).toThrow('and of its adapters, must be a hub id');
  });
});
