/** Prompts that outlive the model that read them: a small decoder on WASM, a disk in memory. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  plainGenerationRequest,
  type GenerationRequest,
  type Prompt,
} from '../../../../src/core/request/generation-request.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { quantizeByRow } from '../../../../src/engines/transformers/onnx-file/quantize-by-row.js';
import type { OnnxSession } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { PackedPrompts } from '../../../../src/language/prefix-cache/packed-prompts.js';
import {
  BLOCK_HEADER_BYTES,
  PromptBlockStore,
  listCachedPrompts,
  removeCachedPrompts,
} from '../../../../src/store/prompts/prompt-block-store.js';
import { memoryLocks } from '../../../store/support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryFolder, MemoryHandle } from '../../../store/support/memory-opfs.js';
import { collectEvents, logprobsOf, piecesOf } from '../../../support/token-events.js';
import { smallModel, smallSession } from '../support/small-q8.js';
const SOURCE = 'https://app.test/m/';
const WORDS = 'what is the capital of a river and why does it rain one two three one two three tell me more'.split(' ');

/** A text of so many tokens: each byte is one. */
function textOf(seed: number, length: number): string {
  let text = '';
  for (let word = 0; text.length < length; word++) text += `${WORDS[(seed * 5 + word * word) % WORDS.length]} `;
  return `${seed} ${text}`.slice(0, length);
}

let session: OnnxSession;
let disk: MemoryDisk;
let locks: LockManager;

beforeAll(async () => {
  session = await smallSession([quantizeByRow]);
});
beforeEach(() => {
  disk = memoryDisk();
  locks = memoryLocks();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
});
afterEach(() => vi.unstubAllGlobals());

const root = (): FileSystemDirectoryHandle => disk.root as unknown as FileSystemDirectoryHandle;

/** What a page has after a reload: a model that has read nothing, and the disk. */
async function reloaded(identity = 'weights', maxBytes = 1e8): Promise<TextModel> {
  const kept = (await PromptBlockStore.open(SOURCE, { root: root(), locks, maxBytes }))!;
  return smallModel(session, true, { disk: kept, identity });
}

interface Said {
  tokens: (number | undefined)[];
  logprobs: number[];
  cached: number;
}

async function say(
  model: TextModel,
  text: string | readonly number[],
  more: Partial<GenerationRequest> = {},
): Promise<Said> {
  const prompt: Prompt = typeof text === 'string' ? { type: 'raw', text } : { type: 'tokens', ids: [...text] };
  const request = { ...plainGenerationRequest('model', prompt), maxTokens: 12, ...more };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const { cachedTokens } = events.find(({ type }) => type === 'prompt') as { cachedTokens: number };
  const logprobs = logprobsOf(events).flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]);
  return { tokens: piecesOf(events).map(({ token }) => token), logprobs, cached: cachedTokens };
}

const answerOf = ({ tokens, logprobs }: Said): object => ({ tokens, logprobs });
const WARM = { cachePrompt: 'required' } as const;
const MARKED = { cachePrompt: 'requested' } as const;

async function namedFiles(): Promise<[string, MemoryHandle][]> {
  const found: [string, MemoryHandle][] = [];
  for await (const folder of (await disk.root.getDirectoryHandle('inpage-prompts')).values())
    if (folder instanceof MemoryFolder)
      for await (const [name, handle] of folder.entries())
        if (/^[\da-f]{40}-/.test(name)) found.push([name, handle as MemoryHandle]);
  return found;
}
const files = async (): Promise<MemoryHandle[]> => (await namedFiles()).map(([, handle]) => handle);
/** Writing goes on behind the answers. */
const written = async (count: number): Promise<void> =>
  vi.waitFor(async () => expect(await files()).toHaveLength(count), { timeout: 10_000 });
/** Long enough for anything that would be written. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

const SAMPLINGS: readonly ((prompt: number) => Partial<GenerationRequest>)[] = [
  () => ({ topLogprobs: 3 }),
  (prompt) => ({ sampling: { temperature: 0.9, topP: 0.95, seed: prompt } }),
];

it('[P03] 50 kept prompts are answered to the last bit as without keeping, greedy and with a seed', async () => {
  const prompts = Array.from({ length: 50 }, (_, index) => textOf(index, 70 + ((index * 53) % 150)));
  const first = await reloaded();
  for (const text of prompts) await say(first, text, { ...WARM, maxTokens: 1 });
  const answers = new Set<string>();
  for (const [index, text] of prompts.entries())
    for (const sampling of SAMPLINGS) {
      const more = { ...sampling(index), maxTokens: 6 };
      const alone = await say(smallModel(session, true), text, more);
      const kept = await say(await reloaded(), text, more);
      expect(alone.cached).toBe(0);
      expect(kept.cached).toBe(Math.floor((text.length - 1) / 64) * 64);
      expect(answerOf(kept)).toEqual(answerOf(alone));
      answers.add(alone.tokens.join());
    }
  expect(answers.size).toBeGreaterThan(prompts.length);
}, 120_000);

describe('[P01] without warming', () => {
  const long = textOf(1, 700);

  it('a marked prompt is kept after its first reading', async () => {
    await say(await reloaded(), long, MARKED);
    await written(10);
    expect((await say(await reloaded(), long)).cached).toBe(640);
  });

  it('another one after its second, also when a reload lies between', async () => {
    await say(await reloaded(), long);
    await settled();
    expect(await files()).toHaveLength(0);
    const second = await say(await reloaded(), long);
    expect(second.cached).toBe(0);
    await written(10);
    expect((await say(await reloaded(), long)).cached).toBe(640);
  });

  it('of two that begin alike the common beginning is kept after the second', async () => {
    const model = await reloaded();
    await say(model, `${long}x`);
    await say(model, `${long.slice(0, 600)}${textOf(2, 100)}`);
    await written(9);
    await settled();
    expect(await files()).toHaveLength(9);
  });

  it('a short prompt is not kept, marked or not', async () => {
    const model = await reloaded();
    for (const more of [MARKED, MARKED, {}, {}]) await say(model, long.slice(0, 511), more);
    await settled();
    expect(await files()).toHaveLength(0);
  });

  it('nothing is written without a disk for it', async () => {
    const model = smallModel(session, true);
    await say(model, long, MARKED);
    await expect(say(model, long, WARM)).rejects.toMatchObject({ code: 'insufficient_resources' });
  });
});

it('[P02] two prompts that begin alike share the disk for what is alike', async () => {
  const model = await reloaded();
  await say(model, `${textOf(1, 500)}${textOf(2, 140)}`, WARM);
  expect(await files()).toHaveLength(10);
  await say(model, `${textOf(1, 500)}${textOf(3, 140)}`, WARM);
  expect(await files()).toHaveLength(13);
  expect((await listCachedPrompts(root())).get(SOURCE)!.usage.count).toBe(2);
  expect((await say(await reloaded(), `${textOf(1, 500)}${textOf(4, 140)}`)).cached).toBe(448);
});

it('[P03] what was read behind generated tokens is not kept: it would differ in the last bits', async () => {
  const model = await reloaded();
  const first = [...new TextEncoder().encode(textOf(1, 600))];
  const answer = await say(model, first);
  const next = [...first, ...answer.tokens.map((token) => token!), ...new TextEncoder().encode(textOf(2, 200))];
  expect((await say(model, next, MARKED)).cached).toBeGreaterThan(600);
  await settled();
  const again = await say(await reloaded(), next, { topLogprobs: 3 });
  expect(again.cached).toBeLessThanOrEqual(576);
  expect(answerOf(again)).toEqual(answerOf(await say(smallModel(session, true), next, { topLogprobs: 3 })));
});

it('[P04] another model, version or precision finds nothing', async () => {
  const text = textOf(1, 600);
  await say(await reloaded('weights q8'), text, WARM);
  expect((await say(await reloaded('weights q4'), text)).cached).toBe(0);
  expect((await say(await reloaded('weights q8'), text)).cached).toBe(576);
});

it('[P04] [P07] [X26] another caller finds nothing, in memory nor on the disk, and all find what the app has kept', async () => {
  const [own, common] = [textOf(3, 600), textOf(4, 600)];
  const model = await reloaded();
  await say(model, own, { ...WARM, caller: 'a' });
  await say(model, common, WARM);
  for (const now of [() => Promise.resolve(model), reloaded]) {
    const cached = async (text: string, caller: string | undefined) =>
      (await say(await now(), text, { caller })).cached;
    for (const caller of ['b', undefined]) expect(await cached(`${own}.`, caller)).toBe(0);
    expect(await cached(`${own}!`, 'a')).toBeGreaterThan(500);
    // Whoever uses it does not take it from the others.
    for (const caller of ['b', 'a', 'b', undefined]) expect(await cached(`${common}!`, caller)).toBeGreaterThan(500);
  }
});

describe('[P05] whatever happens to the disk, the answer is right', () => {
  const text = textOf(7, 640);
  let expected: object;
  beforeAll(async () => {
    expected = answerOf(await say(smallModel(session, true), text, { topLogprobs: 3 }));
  });

  it.each<[string, number, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
    ['a damaged', 4, (bytes) => bytes.map((byte, place) => (place === 5000 ? byte ^ 4 : byte))],
    ['a cut', 0, (bytes) => bytes.slice(0, 1000)],
    ['an empty', 9, () => new Uint8Array(0)],
    ['a foreign', 2, () => new TextEncoder().encode('not ours')],
  ])('with %s file: what is before it is used, and it is kept anew', async (_, place, change) => {
    await say(await reloaded(), text, WARM);
    (await files())[place]!.overwrite(change);
    const said = await say(await reloaded(), text, { topLogprobs: 3, ...MARKED });
    expect(said.cached).toBe(Math.min(place * 64, 576));
    expect(answerOf(said)).toEqual(expected);
    await written(10);
    expect((await say(await reloaded(), text)).cached).toBe(576);
  });

  it('when it is full', async () => {
    const model = await reloaded();
    disk.free = 50_000;
    expect(answerOf(await say(model, text, { topLogprobs: 3, ...MARKED }))).toEqual(expected);
    await settled();
    await expect(say(model, text, WARM)).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(answerOf(await say(await reloaded(), text, { topLogprobs: 3 }))).toEqual(expected);
  });

  it('when it fails or never answers', async () => {
    const fails = async (): Promise<never> => {
      throw new Error('broken');
    };
    const broken = { has: fails, read: fails, write: fails, readNote: fails, writeNote: fails };
    const model = smallModel(session, true, { disk: broken, identity: 'weights' });
    expect(answerOf(await say(model, text, { topLogprobs: 3, ...MARKED }))).toEqual(expected);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const silent = { ...broken, has: () => new Promise<never>(() => {}) };
      const stuck = smallModel(session, true, { disk: silent, identity: 'weights' });
      const said = say(stuck, text, { topLogprobs: 3 });
      await vi.advanceTimersByTimeAsync(5_000);
      vi.useRealTimers();
      expect(answerOf(await said)).toEqual(expected);
    } finally {
      vi.useRealTimers();
    }
  });

  it('with two tabs at once', async () => {
    const [one, other] = [await reloaded(), await reloaded()];
    const said = await Promise.all([say(one, text, WARM), say(other, text, WARM)]);
    expect(said[0]).toEqual(said[1]);
    expect(await files()).toHaveLength(10);
    expect(answerOf(await say(await reloaded(), text, { topLogprobs: 3 }))).toEqual(expected);
  });
});

describe('[P07] warming', () => {
  it('keeps a prompt of any length from 64 tokens on, and ends when it is on the disk', async () => {
    await say(await reloaded(), textOf(1, 130), WARM);
    expect(await files()).toHaveLength(2);
    expect((await say(await reloaded(), textOf(1, 130))).cached).toBe(128);
  });

  it('fails when the prompt cannot be kept', async () => {
    const refused = { code: 'insufficient_resources' };
    await expect(say(await reloaded(), 'short', WARM)).rejects.toMatchObject(refused);
    await expect(say(await reloaded('weights', 20_000), textOf(1, 600), WARM)).rejects.toMatchObject(refused);
  });
});

it('writes nothing more once the model is unloaded', async () => {
  const model = await reloaded();
  const said = say(model, textOf(1, 900), MARKED);
  await said;
  await model.unload();
  const before = (await files()).length;
  await settled();
  expect((await files()).length - before).toBeLessThanOrEqual(1);
});

describe('a prompt that came with a packed model', () => {
  const text = textOf(9, 400);
  /** As the files of a pack. */
  async function packed(): Promise<Map<string, Uint8Array>> {
    await say(await reloaded(), text, WARM);
    const blocks = new Map<string, Uint8Array>();
    for (const [name, handle] of await namedFiles())
      blocks.set(`prompts/${name}`, handle.content.bytes.slice(BLOCK_HEADER_BYTES, handle.content.size));
    await removeCachedPrompts({ root: root(), locks }, SOURCE);
    return blocks;
  }
  const firstVisit = (blocks: Map<string, Uint8Array>, own?: PromptBlockStore): TextModel => {
    const disk = new PackedPrompts({ names: [...blocks.keys()], read: async (name) => blocks.get(name), own });
    return smallModel(session, true, { disk, identity: 'weights' });
  };

  it('[P03] is known without a disk, and the answer is the same to the last bit', async () => {
    const said = await say(firstVisit(await packed()), text, { topLogprobs: 3 });
    expect(said.cached).toBe(384);
    expect(answerOf(said)).toEqual(answerOf(await say(smallModel(session, true), text, { topLogprobs: 3 })));
  });

  it('is not kept once more on the disk, only what goes on from it', async () => {
    const blocks = await packed();
    const own = (await PromptBlockStore.open(SOURCE, { root: root(), locks, maxBytes: 1e8 }))!;
    await say(firstVisit(blocks, own), `${text}${textOf(2, 200)}`, WARM);
    expect(await files()).toHaveLength(Math.floor(600 / 64) - blocks.size);
    expect((await say(firstVisit(blocks, own), `${text}${textOf(2, 200)}`)).cached).toBe(576);
  });

  it('[P05] of which a file cannot be had is used as far as it is there', async () => {
    const blocks = await packed();
    const model = smallModel(session, true, {
      disk: new PackedPrompts({
        names: [...blocks.keys()],
        read: async (name) => {
          if (name === [...blocks.keys()].at(-1)) throw new Error('The file is not what the manifest states.');
          return blocks.get(name);
        },
        own: undefined,
      }),
      identity: 'weights',
    });
    const said = await say(model, text, { topLogprobs: 3 });
    expect(said.cached).toBeLessThan(384);
    expect(answerOf(said)).toEqual(answerOf(await say(smallModel(session, true), text, { topLogprobs: 3 })));
    await expect(say(model, text, WARM)).resolves.toBeDefined();
  });
});
