import { beforeAll, describe, expect, it } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import type { TokenEvent } from '../../../../src/core/events/token-event.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import type { Message } from '../../../../src/core/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { describeBackend } from '../../../contract/backend-contract.js';
import { collectEvents, piecesOf, textOf } from '../../../support/token-events.js';

const entry: ModelEntry = {
  id: 'tiny-chat',
  task: 'chat',
  backend: 'transformers',
  source: '/models/tiny-chat',
  device: 'wasm',
  dtype: 'q8',
};
const { signal } = new AbortController();

function load(changes: Partial<ModelEntry> = {}): Promise<TextModel> {
  const assetsURL = new URL('/inpage/', location.href).href;
  return loadTextModel({ ...entry, ...changes }, { onProgress: () => {}, signal, assetsURL, pageURL: location.href });
}

function ask(text: string, changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text }] }];
  return { ...plainGenerationRequest('tiny-chat', { type: 'chat', messages }), maxTokens: 60, ...changes };
}

const idsOf = (events: readonly TokenEvent[]) => piecesOf(events).map((piece) => piece.token);

const FRANCE = 'What is the capital of France?';
/** Tokens of an answer, as few as say it: a software GPU takes long for each. */
const FEW = 4;
/** Enough for what does not depend on the words. */
const FEWER = 2;
/** Logits of one token; keys and values of the prompt are several times as much. */
const LOGITS_BYTES = 8192 * 4;
/** One token's id and logit. */
const FOUND_BYTES = 8;
/** One drawn token. */
const SAMPLED_BYTES = 4;
let bytesRead = 0;
let maps = 0;
const { mapAsync } = GPUBuffer.prototype;
GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, mode, offset = 0, size = this.size - offset) {
  if (mode === GPUMapMode.READ) {
    bytesRead += size;
    maps += 1;
  }
  return mapAsync.call(this, mode, offset, size);
};

let onGpu: TextModel;
/** How it answers about France. */
let france: TokenEvent[];
beforeAll(async () => {
  // The GPU's build of ONNX Runtime runs both; it must come first in a realm.
  onGpu = await load({ device: 'webgpu' });
  france = await collectEvents(onGpu.generate(ask(FRANCE, { maxTokens: FEW }), signal));
});

describe('tiny-chat on WebGPU', () => {
  it('writes the same first tokens as on WASM', async () => {
    expect(onGpu.info.device).toBe('webgpu');
    const onCpu = await load();
    const expected = await collectEvents(onCpu.generate(ask(FRANCE, { maxTokens: FEW }), signal));
    await onCpu.unload();
    expect(idsOf(france)).toEqual(idsOf(expected));
  });

  it('goes on with what it kept, alone and in a batch, and reads nothing back but ids and logits of tokens', async () => {
    let read = bytesRead;
    const again = await collectEvents(onGpu.generate(ask(FRANCE, { maxTokens: FEWER }), signal));
    // Never keys and values, not even when the prompt is taken over from what is kept. Drafts are read, too.
    expect(bytesRead - read).toBeGreaterThan(0);
    expect(bytesRead - read).toBeLessThanOrEqual(2 * FEWER * FOUND_BYTES);
    expect(idsOf(again)).toEqual(idsOf(france).slice(0, FEWER));
    expect(again[0]).toMatchObject({
      type: 'prompt',
      cachedTokens: (again[0] as { promptTokens: number }).promptTokens,
    });
    read = bytesRead;
    const two = await collectEvents(onGpu.generate(ask(FRANCE, { maxTokens: FEWER, n: 2 }), signal));
    expect(bytesRead - read).toBeLessThanOrEqual(2 * FEWER * FOUND_BYTES);
    expect(textOf(two, 0)).toBe(textOf(again));
    expect(textOf(two, 1)).toBe(textOf(again));
  });

  it('reads so many logits back as the next token depends on, and chooses the same tokens', async () => {
    const sampled = { temperature: 1, topK: 20, seed: 5 };
    const written: (number | undefined)[][] = [];
    const crossed: number[] = [];
    // A bias of a token that is never near the top makes all logits count and changes nothing.
    for (const changes of [{}, { logitBias: { 3: -1 } }]) {
      const read = bytesRead;
      const request = ask('Tell me a story.', { maxTokens: FEWER, sampling: { ...sampled, ...changes } });
      written.push(idsOf(await collectEvents(onGpu.generate(request, signal))));
      crossed.push(bytesRead - read);
    }
    expect(written[1]).toEqual(written[0]);
    expect(crossed[0]).toBeLessThanOrEqual(2 * FEWER * 21 * FOUND_BYTES);
    expect(crossed[1]).toBeGreaterThan((FEWER - 1) * LOGITS_BYTES);
  });

  it('draws with a temperature, and with top_p, on the GPU, and writes what it writes from all logits', async () => {
    const asked = ask('Tell me a joke.', { maxTokens: FEWER, sampling: { temperature: 1, topP: 0.95, seed: 6 } });
    [bytesRead, maps] = [0, 0];
    const [drawn, beside] = await Promise.all(
      [asked, ask(FRANCE, { maxTokens: FEWER })].map((each) => collectEvents(onGpu.generate(each, signal))),
    );
    // Drafts are read, too.
    expect(bytesRead).toBeLessThanOrEqual(2 * FEWER * (SAMPLED_BYTES + FOUND_BYTES));
    expect(maps).toBeLessThanOrEqual(2 * FEWER);
    expect(idsOf(beside!)).toEqual(idsOf(france).slice(0, FEWER));
    const all = await collectEvents(onGpu.generate({ ...asked, topLogprobs: 0 }, signal));
    expect(idsOf(all)).toEqual(idsOf(drawn!));
    [bytesRead, maps] = [0, 0];
    const two = { ...asked, n: 2, sampling: { temperature: 2, seed: 6 } };
    const choices = await collectEvents(onGpu.generate(two, signal));
    // All logits after the prompt are kept by now.
    expect([bytesRead, maps]).toEqual([2 * (FEWER - 1) * SAMPLED_BYTES, FEWER - 1]);
    expect(textOf(choices, 0)).not.toBe(textOf(choices, 1));
  });

  it('writes for several requests of other lengths what it writes for each alone', async () => {
    expect(onGpu.info.concurrency).toBe(32);
    const [first, second] = [FRANCE, 'Hello, who are you?'].map((text) => ask(text, { maxTokens: FEWER }));
    const alone = idsOf(await collectEvents(onGpu.generate(second!, signal)));
    const together = await Promise.all([first!, second!].map((each) => collectEvents(onGpu.generate(each, signal))));
    expect(together.map(idsOf)).toEqual([idsOf(france).slice(0, FEWER), alone]);
  });
});

// The rest takes too long on a software GPU; it is the same code that WASM runs.
describeBackend('transformers.js on WebGPU', {
  // Which unloads it.
  load: async () => onGpu,
  only: ['stops at the cap'],
});
