/** Prompts of models whose layers have a state: kept in memory and on a disk, forked, drafted. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { assembleTextModel, planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { PromptBlockStore } from '../../../src/store/prompts/prompt-block-store.js';
import { memoryLocks } from '../../store/support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryHandle } from '../../store/support/memory-opfs.js';
import { collectEvents, logprobsOf, piecesOf } from '../../support/token-events.js';
import { madeFile } from './support/made-architectures.js';
import { headerOf, piecesOf as bytesOf, TINY_ENTRY } from './support/tiny-model.js';

let disk: MemoryDisk;
let locks: LockManager;
beforeEach(() => {
  disk = memoryDisk();
  locks = memoryLocks();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
});
afterEach(() => vi.unstubAllGlobals());

/** What a page has after a reload: a model that has read nothing, and the disk. */
async function reloaded(name: string, isKept = true): Promise<TextModel> {
  const root = disk.root as unknown as FileSystemDirectoryHandle;
  const store = (await PromptBlockStore.open('https://app.test/m/', { root, locks, maxBytes: 1e8 }))!;
  const file = madeFile(name);
  const header = await headerOf(file);
  const openPrompts = async (): Promise<{ disk: PromptBlockStore; identity: string }> => ({
    disk: store,
    identity: name,
  });
  const planned = planTextModel(TINY_ENTRY, header);
  return assembleTextModel(
    TINY_ENTRY,
    planned,
    bytesOf(file.subarray(header.dataStart)),
    isKept ? { openPrompts } : {},
  );
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

/** Characters that are a token each. */
const textOf = (seed: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCodePoint(65 + ((seed * 7 + index * index) % 26))).join('');

describe('[W27] a prompt of a model with a state', () => {
  it.each(['lfm2', 'qwen35', 'granitehybrid'])('%s: is answered to the last bit as without', async (name) => {
    const alone = async (text: string): Promise<Said> => say(await reloaded(name, false), text);
    for (const length of [70, 128, 200]) {
      const text = textOf(length, length);
      await say(await reloaded(name), text, { cachePrompt: 'required', maxTokens: 1 });
      const kept = await say(await reloaded(name), text);
      expect(kept.cached).toBe(Math.floor((length - 1) / 64) * 64);
      expect({ ...kept, cached: 0 }).toEqual(await alone(text));
    }
    const model = await reloaded(name, false);
    const text = textOf(5, 90);
    await say(model, text);
    // What differs at its end, what is the same, and what is longer.
    for (const [next, cached] of [
      [`${text.slice(0, 80)}abcdef`, 74],
      [text, 74],
      [`${text}abc`, 90],
    ] as const) {
      const said = await say(model, next);
      expect(said.cached).toBeGreaterThanOrEqual(cached);
      expect({ ...said, cached: 0 }).toEqual({ ...(await alone(next)), cached: 0 });
    }
  });

  it('of ten turns is read on from the turn before, whose last line is another one then', async () => {
    const model = await reloaded('qwen35', false);
    let history = '';
    let last: Said | undefined;
    const prompts = Array.from({ length: 10 }, (_, turn) => {
      history += `${textOf(turn + 20, 8)}${textOf(turn, 30)}>A`;
      return `${history}<think`;
    });
    for (const [turn, prompt] of prompts.entries()) {
      last = await say(model, prompt, { maxTokens: 4 });
      expect(last.cached).toBeGreaterThanOrEqual((prompts[turn - 1]?.length ?? 18) - 18);
    }
    const alone = await say(await reloaded('qwen35', false), prompts[9]!, { maxTokens: 4 });
    expect({ ...last, cached: 0 }).toEqual(alone);
  });

  it('repeats itself, so that drafts are guessed, as without drafts', async () => {
    const text = 'abcabdabcabdabcabdabcabdabcabdabcabdabcabd';
    const said = await say(await reloaded('qwen35', false), text, { maxTokens: 60 });
    const model = await reloaded('qwen35', false);
    // Sequences that share passes guess nothing.
    const [together] = await Promise.all([
      say(model, text, { maxTokens: 60 }),
      say(model, textOf(3, 40), { maxTokens: 90 }),
    ]);
    expect(together).toEqual(said);
  });
});
