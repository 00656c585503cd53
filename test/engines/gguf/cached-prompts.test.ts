/** Prompts that outlive the model that read them: a made decoder, a disk in memory. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { PromptBlockStore } from '../../../src/store/prompts/prompt-block-store.js';
import { memoryLocks } from '../../store/support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryFolder, MemoryHandle } from '../../store/support/memory-opfs.js';
import { collectEvents, logprobsOf, piecesOf } from '../../support/token-events.js';
import { tinyModel } from './support/tiny-model.js';

const SOURCE = 'https://app.test/m/';
const REQUIRED = { cachePrompt: 'required' } as const;

let disk: MemoryDisk;
let locks: LockManager;
beforeEach(() => {
  disk = memoryDisk();
  locks = memoryLocks();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
});
afterEach(() => vi.unstubAllGlobals());

/** What a page has after a reload: a model that has read nothing, and the disk. */
async function reloaded(identity = 'weights', entry: Partial<ModelEntry> = {}): Promise<TextModel> {
  const root = disk.root as unknown as FileSystemDirectoryHandle;
  const store = (await PromptBlockStore.open(SOURCE, { root, locks, maxBytes: 1e8 }))!;
  return tinyModel({}, entry, { openPrompts: async () => ({ disk: store, identity }) });
}

interface Said {
  tokens: (number | undefined)[];
  logprobs: number[];
  cached: number;
}

async function say(model: TextModel, text: string, more: Partial<GenerationRequest> = {}): Promise<Said> {
  const request = { ...plainGenerationRequest('tiny', { type: 'raw', text }), maxTokens: 12, topLogprobs: 2, ...more };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const { cachedTokens } = events.find(({ type }) => type === 'prompt') as { cachedTokens: number };
  const logprobs = logprobsOf(events).flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]);
  return { tokens: piecesOf(events).map(({ token }) => token), logprobs, cached: cachedTokens };
}

async function handles(): Promise<MemoryHandle[]> {
  const found: MemoryHandle[] = [];
  for await (const folder of (await disk.root.getDirectoryHandle('inpage-prompts')).values())
    if (folder instanceof MemoryFolder)
      for await (const [name, handle] of folder.entries())
        if (/^[\da-f]{40}-/.test(name)) found.push(handle as MemoryHandle);
  return found;
}

/** Characters that are a token each. */
const textOf = (seed: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCodePoint(65 + ((seed * 7 + index * index) % 26))).join('');

describe('a prompt on the disk', () => {
  it('[P03] [P02] is answered to the last bit as without, and only its rest is read', async () => {
    const first = await reloaded();
    const texts = [70, 128, 129, 200, 321].map((length, index) => textOf(index, length));
    for (const text of texts) await say(first, text, { ...REQUIRED, maxTokens: 1 });
    for (const text of texts) {
      for (const sampling of [{}, { sampling: { temperature: 0.9, seed: 3 } }]) {
        const alone = await say(await tinyModel(), text, sampling);
        const kept = await say(await reloaded(), text, sampling);
        expect(alone.cached).toBe(0);
        expect(kept.cached).toBe(Math.floor((text.length - 1) / 64) * 64);
        expect({ ...kept, cached: 0 }).toEqual(alone);
      }
    }
  });

  it('[P03] of keys and values in 8 bits is answered to the last bit as without', async () => {
    const q8: Partial<ModelEntry> = { kvCache: 'q8' };
    const text = textOf(4, 200);
    await say(await reloaded('q8', q8), text, { ...REQUIRED, maxTokens: 1 });
    const kept = await say(await reloaded('q8', q8), text);
    const alone = await tinyModel({}, q8);
    expect(kept.cached).toBe(192);
    expect({ ...kept, cached: 0 }).toEqual(await say(alone, text));
    const usual = await tinyModel();
    expect((await say(usual, text)).logprobs).not.toEqual(kept.logprobs);
    expect(usual.info.kvTokenBytes).toBe(2 * alone.info.kvTokenBytes!);
  });

  it('[P02] is used where memory has less of it, and memory where it has more', async () => {
    const text = textOf(1, 300);
    await say(await reloaded(), text.slice(0, 200), { ...REQUIRED, maxTokens: 1 });
    const model = await reloaded();
    await say(model, text.slice(0, 80));
    expect((await say(model, text)).cached).toBe(192);
    expect((await say(model, `${text.slice(0, 290)}.`)).cached).toBe(290);
  });

  it('[P04] of other weights is another one', async () => {
    const text = textOf(2, 200);
    await say(await reloaded(), text, { ...REQUIRED, maxTokens: 1 });
    expect((await say(await reloaded('others'), text)).cached).toBe(0);
  });

  it('[P05] that is damaged is read anew and kept again', async () => {
    const text = textOf(3, 200);
    const right = await say(await reloaded(), text, REQUIRED);
    const all = await handles();
    expect(all).toHaveLength(3);
    for (const handle of all)
      handle.overwrite((bytes) => {
        bytes[bytes.length - 5]! ^= 1;
        return bytes;
      });
    const again = await say(await reloaded(), text, REQUIRED);
    expect(again).toEqual(right);
    expect((await say(await reloaded(), text)).cached).toBe(192);
  });

  it('[P07] that is too short to be kept is refused where it is required', async () => {
    await expect(say(await reloaded(), 'short', REQUIRED)).rejects.toMatchObject({ code: 'insufficient_resources' });
  });
});
