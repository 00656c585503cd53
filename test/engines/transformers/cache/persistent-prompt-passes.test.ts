/** Kept prompts where passes have other lengths than the blocks on the disk, as on a GPU. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { quantizeByRow } from '../../../../src/engines/transformers/onnx-file/quantize-by-row.js';
import type { BlockStore } from '../../../../src/language/prefix-cache/persistent-prompt-cache.js';
import type { OnnxSession } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { collectEvents } from '../../../support/token-events.js';
import { smallModel, smallSession } from '../support/small-q8.js';
const BLOCKS = { blockLength: 128, shortestBlock: 64 };
const WARM = { cachePrompt: 'required' } as const;

let session: OnnxSession;
let disk: Map<string, Uint8Array<ArrayBuffer>>;

beforeAll(async () => {
  session = await smallSession([quantizeByRow]);
});
beforeEach(() => {
  disk = new Map();
});

/** What a page has after a reload: a model that has read nothing, and the disk. */
function reloaded(): TextModel {
  const kept: BlockStore = {
    has: async ({ key }) => disk.has(key),
    read: async ({ key }) => disk.get(key),
    async write(blocks) {
      for (const { key, bytes } of blocks) disk.set(key, await bytes());
      return true;
    },
    readNote: async () => undefined,
    writeNote: async () => true,
  };
  return smallModel(session, true, { disk: kept, identity: 'weights' }, BLOCKS);
}

/** Each byte is a token. */
const textOf = (seed: number, length: number): string =>
  Array.from({ length }, (_, at) => String.fromCodePoint(97 + ((seed * 7 + at * at + at) % 26))).join('');

/** How many of the prompt's tokens were known. */
async function say(model: TextModel, text: string, more: Partial<GenerationRequest> = {}): Promise<number> {
  const request = { ...plainGenerationRequest('model', { type: 'raw', text }), maxTokens: 1, ...more };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  return events.flatMap((event) => (event.type === 'prompt' ? [event.cachedTokens] : []))[0]!;
}

const cachedOf = async (text: string): Promise<number> => say(reloaded(), text);

describe('[P03] where passes have other lengths, as on a GPU', () => {
  it('what whole passes read is kept, and so much is taken that the passes stay the same', async () => {
    await say(reloaded(), textOf(1, 600), WARM);
    expect(disk.size).toBe(512 / 64);
    expect(await cachedOf(textOf(1, 600))).toBe(512);
    expect(await cachedOf(textOf(1, 576))).toBe(512);
    expect(await cachedOf(textOf(1, 575))).toBe(384);
    expect(await cachedOf(`${textOf(1, 300)}${textOf(2, 300)}`)).toBe(256);
    expect(await cachedOf(textOf(1, 191))).toBe(0);
  });

  it('a last block that was read with the one before is not kept, nor that one', async () => {
    await say(reloaded(), textOf(1, 560), WARM);
    expect(disk.size).toBe(384 / 64);
    expect(await cachedOf(textOf(1, 560))).toBe(384);
  });

  it('what was read behind a part of a pass is not', async () => {
    const model = reloaded();
    await say(model, textOf(1, 700));
    // It goes on in memory at 448, in the middle of a pass.
    expect(await say(model, `${textOf(1, 500)}${textOf(2, 300)}`)).toBe(448);
    await expect(say(model, `${textOf(1, 500)}${textOf(2, 300)}`, WARM)).resolves.toBe(800);
    expect(disk.size).toBe(384 / 64);
  });

  it('a prompt that is shorter than a pass cannot be kept', async () => {
    await expect(say(reloaded(), textOf(1, 127), WARM)).rejects.toThrow(/fewer than 191 tokens/);
  });
});
