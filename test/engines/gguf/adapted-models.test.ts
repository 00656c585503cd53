/** Chat models with adapters: which request uses which, and what is reused for which. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { PromptBlockStore } from '../../../src/store/prompts/prompt-block-store.js';
import { memoryLocks } from '../../store/support/memory-locks.js';
import { memoryDisk, MemoryHandle } from '../../store/support/memory-opfs.js';
import { collectEvents, logprobsOf } from '../../support/token-events.js';
import { describeBackend } from '../../contract/backend-contract.js';
import { mergedFile } from './support/tiny-adapter.js';
import type { TinyFile } from './support/tiny-file.js';
import { tinyModel, type TinyLora } from './support/tiny-model.js';

const ALWAYS: TinyLora = { model: {}, seed: 11, scale: 0.5 };
const FIRST: TinyLora = { model: {}, id: 'first', seed: 1 };
const SECOND: TinyLora = { model: {}, id: 'second', seed: 2, rank: 9 };
const TEXT = 'How does the weather look today? '.repeat(5);

interface Said {
  logprobs: number[];
  cached: number;
}

async function say(model: TextModel, more: Partial<GenerationRequest> = {}, text = TEXT): Promise<Said> {
  const request = { ...plainGenerationRequest('tiny', { type: 'raw', text }), maxTokens: 12, topLogprobs: 2, ...more };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const { cachedTokens } = events.find(({ type }) => type === 'prompt') as { cachedTokens: number };
  return {
    logprobs: logprobsOf(events).flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]),
    cached: cachedTokens,
  };
}

function expectClose(found: Said, expected: Said): void {
  expect(found.logprobs).toHaveLength(expected.logprobs.length);
  for (const [index, value] of found.logprobs.entries())
    expect(Math.abs(value - expected.logprobs[index]!)).toBeLessThan(5e-4);
}

describeBackend('gguf llama with adapters', { load: () => tinyModel({}, {}, {}, [ALWAYS, FIRST]) });

describe('[W15] requests', () => {
  it('use what always applies, and the adapter that they name', async () => {
    const plain = { kind: 'F32' } as const;
    const exact = { dtype: 'fp32' } as const;
    const model = await tinyModel(plain, exact, {}, [ALWAYS, FIRST, SECOND]);
    const merged = (...loras: TinyLora[]): Promise<TextModel> => {
      const file: TinyFile = mergedFile(plain, loras);
      return tinyModel(file, exact);
    };
    const alone = await say(await tinyModel(plain, exact));
    const base = await say(model);
    expectClose(base, await say(await merged(ALWAYS)));
    const first = await say(model, { adapter: 'first' });
    expectClose(first, await say(await merged(ALWAYS, FIRST)));
    expectClose(await say(model, { adapter: 'second' }), await say(await merged(ALWAYS, SECOND)));
    expect(base.logprobs).not.toEqual(alone.logprobs);
    expect(first.logprobs).not.toEqual(base.logprobs);
  });

  it('that decode together have the bits that they have alone, choices too', async () => {
    const loras = [FIRST, SECOND];
    const wishes = [{}, { adapter: 'first' }, { adapter: 'second' }, { adapter: 'first', n: 2 }];
    const alone: Said[] = [];
    for (const wish of wishes) alone.push(await say(await tinyModel({}, {}, {}, loras), wish));
    const model = await tinyModel({}, {}, {}, loras);
    const together = await Promise.all([...wishes, ...wishes].map((wish) => say(model, wish)));
    expect(together.map(({ logprobs }) => logprobs)).toEqual([...alone, ...alone].map(({ logprobs }) => logprobs));
    expect(alone[3]).toEqual(alone[1]);
  });

  it('never reuse what was read with another adapter', async () => {
    const model = await tinyModel({}, {}, {}, [FIRST, SECOND]);
    const wishes = [{}, { adapter: 'first' }, { adapter: 'second' }];
    const anew: Said[] = [];
    for (const wish of wishes) anew.push(await say(model, wish));
    expect(anew.map(({ cached }) => cached)).toEqual([0, 0, 0]);
    const again: Said[] = [];
    for (const wish of wishes) again.push(await say(model, wish));
    expect(Math.min(...again.map(({ cached }) => cached))).toBeGreaterThan(100);
    expect(again.map(({ logprobs }) => logprobs)).toEqual(anew.map(({ logprobs }) => logprobs));
  });
});

describe('[W15] prompts on the disk', () => {
  beforeEach(() => {
    vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
  });
  afterEach(() => vi.unstubAllGlobals());

  it('are of the adapter that they were read with, and of its scale', async () => {
    const disk = memoryDisk();
    const locks = memoryLocks();
    const load = async (...loras: TinyLora[]): Promise<TextModel> => {
      const root = disk.root as unknown as FileSystemDirectoryHandle;
      const store = (await PromptBlockStore.open('https://app.test/m/', { root, locks, maxBytes: 1e8 }))!;
      return tinyModel({}, {}, { openPrompts: async () => ({ disk: store, identity: 'weights' }) }, loras);
    };
    const kept = { cachePrompt: 'required' } as const;
    const first = await say(await load(FIRST, SECOND), { adapter: 'first', ...kept });
    const cachedOf = async (loras: TinyLora[], wish: Partial<GenerationRequest>): Promise<number> =>
      (await say(await load(...loras), wish)).cached;
    expect(await cachedOf([FIRST, SECOND], {})).toBe(0);
    expect(await cachedOf([FIRST, SECOND], { adapter: 'second' })).toBe(0);
    expect(await cachedOf([{ ...FIRST, scale: 0.7 }], { adapter: 'first' })).toBe(0);
    expect(await cachedOf([{ ...FIRST, seed: 5 }], { adapter: 'first' })).toBe(0);
    // Under another name it is the same.
    const again = await say(await load({ ...FIRST, id: 'renamed' }), { adapter: 'renamed' });
    expect(again).toEqual({ ...first, cached: 128 });
  });
});
