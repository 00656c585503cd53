/** The table of Gemma 4's inputs for layers, of which rows are read where the file is stored. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import type { ReadRange } from '../../../src/engines/gguf/file/header.js';
import { ForwardPass } from '../../../src/engines/gguf/forward.js';
import { widestRow } from '../../../src/engines/gguf/forward-shape.js';
import { openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { KvPages, KvSequence } from '../../../src/engines/gguf/kv-pages.js';
import { loadKernels } from '../../../src/engines/gguf/load-kernels.js';
import { loadWeights } from '../../../src/engines/gguf/load-weights.js';
import { planModel } from '../../../src/engines/gguf/model-plan.js';
import { PassQueue } from '../../../src/engines/gguf/pass-queue.js';
import { SharedKernels } from '../../../src/engines/gguf/shared-kernels.js';
import { openStored } from '../../../src/engines/gguf/stored-rows.js';
import { localFolderStore } from '../../../src/serve/models/local-folder.js';
import { madeContent, MADE_PROMPT } from './support/made-architectures.js';
import { VOCABULARY } from './support/made-decoders.js';
import { headerOf } from './support/tiny-model.js';
import { type TensorInput, writeGguf } from './support/write-gguf.js';

const TABLE = 'per_layer_token_embd.weight';

/** @param kind of the table */
function fileOf(kind: TensorInput['kind']): Uint8Array<ArrayBuffer> {
  const { metadata, tensors } = madeContent('gemma4');
  // Any bytes are blocks of this kind.
  const bytes = Uint8Array.from({ length: (192 / 64) * 36 * VOCABULARY }, (_, index) => (index * 37) % 127);
  const changed = tensors.map((tensor) =>
    tensor.name === TABLE ? { ...tensor, kind, ...(kind === 'NVFP4' && { data: bytes }) } : tensor,
  );
  return writeGguf({ metadata, tensors: changed });
}

async function open(file: Uint8Array, readStored?: ReadRange) {
  const header = await headerOf(file);
  const kernels = await loadKernels('plain');
  const plan = planModel(header);
  const read: ReadRange = async (from, to) => file.subarray(from, to);
  const { weights, ropeFactors } = await loadWeights(plan, header, { kernels, readStored }, read);
  const used = kernels.memory.used;
  const shape = {
    ...plan.shape,
    exact: false,
    precision: 32 as const,
    rope: { ...plan.shape.rope, factors: ropeFactors },
  };
  const forward = new ForwardPass(new SharedKernels(kernels, shape.contextLength, widestRow(shape)), shape, weights);
  const lost: unknown[] = [];
  const passes = new PassQueue(forward, (error) => void lost.push(error));
  const pages = new KvPages(kernels.memory, shape, 2 ** 24);
  return { used, lost, passes, fresh: () => new KvSequence(pages) };
}

const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'gguf' };

describe('[W25] the table of inputs for layers', () => {
  it.each(['F32', 'Q8_0', 'Q5_0', 'NVFP4'] as const)(
    'gives the same bits from where it is stored, as %s, and is not in memory',
    async (kind) => {
      const file = fileOf(kind);
      let reads = 0;
      const held = await open(file);
      const stored = await open(file, async (from, to) => {
        reads += 1;
        return file.subarray(from, to);
      });
      const bytes = (await headerOf(file)).tensors.find(({ name }) => name === TABLE)!;
      expect(held.used - stored.used).toBeGreaterThan(0.5 * bytes.bytes);
      const [kv, other] = [stored.fresh(), stored.fresh()];
      const [expected, alone] = await Promise.all([
        held.passes.read({ kv: held.fresh(), tokens: MADE_PROMPT, keep: 85 }),
        stored.passes.read({ kv, tokens: MADE_PROMPT, keep: 85, isPrompt: true }),
        stored.passes.read({ kv: other, tokens: [3, 1, 4], keep: 1, isPrompt: true }),
      ]);
      expect(alone).toEqual(expected);
      const before = reads;
      expect(before).toBe(new Set([...MADE_PROMPT, 3, 1, 4]).size);
      await stored.passes.read({ kv, tokens: MADE_PROMPT.slice(0, 3), keep: 1 });
      expect(reads).toBe(before);
    },
  );

  it('that cannot be read any more ends the engine, with a typed error', async () => {
    const { passes, fresh, lost } = await open(fileOf('F32'), () => Promise.reject(new Error('It is gone.')));
    await expect(passes.read({ kv: fresh(), tokens: [1], keep: 1 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(lost).toHaveLength(1);
  });

  it('[W08] counts where it must be held', async () => {
    const header = await headerOf(fileOf('F32'));
    const large = header.tensors.map((tensor) =>
      tensor.name.endsWith('token_embd.weight') ? { ...tensor, shape: [tensor.shape[0]!, 2 ** 23] } : tensor,
    );
    const changed = { ...header, tensors: large };
    expect(() => planTextModel(entry, changed, true)).not.toThrow();
    expect(() => planTextModel(entry, changed)).toThrow(expect.objectContaining({ code: 'insufficient_resources' }));
  });
});

describe('[W25] a file on a disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-rows-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read at any place, until it is changed', async () => {
    const file = fileOf('F32');
    const path = join(folder, 'm.gguf');
    writeFileSync(path, file);
    const url = `${pathToFileURL(folder).href}/`;
    const { signal } = new AbortController();
    const options = { pageURL: url, hub: url, onProgress: () => {}, signal };
    let isStored: boolean | undefined;
    const source = await openGguf({ ...entry, source: `${url}m.gguf` }, options, (_, stored) => (isStored = stored), {
      environment: localFolderStore(url),
    });
    expect(isStored).toBe(true);
    const read = (await openStored(source.files, source.heads))!;
    expect(await read(100, 5000)).toEqual(file.slice(100, 5000));
    writeFileSync(path, file.slice(0, -32));
    await expect(read(100, 200)).rejects.toThrow(/changed/);
  });
});
