import { describe, expect, it } from 'vitest';
import { loadTextModel } from '../../../src/backends/transformers/text/load-text-model.js';
import type { TextModel } from '../../../src/decoding/create-text-model.js';
import type { TokenEvent } from '../../../src/events/token-event.js';
import type { ModelEntry } from '../../../src/models/model-entry.js';
import type { Message } from '../../../src/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/request/generation-request.js';

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

async function collect(events: AsyncIterable<TokenEvent>): Promise<TokenEvent[]> {
  const all: TokenEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const textOf = (events: readonly TokenEvent[], choice = 0) =>
  events.map((event) => ('text' in event && event.choice === choice ? event.text : '')).join('');
const idsOf = (events: readonly TokenEvent[]) => events.flatMap((event) => (event.type === 'token' ? [event.id] : []));

const FRANCE = 'What is the capital of France?';
describe('tiny-chat on WebGPU', () => {
  it('writes the same first tokens as on WASM, alone and in a batch, and goes on with what it kept', async () => {
    // The GPU's build of ONNX Runtime runs both; it must come first in a realm.
    const onGpu = await load({ device: 'webgpu' });
    expect(onGpu.info.device).toBe('webgpu');
    const events = await collect(onGpu.generate(ask(FRANCE, { maxTokens: 16 }), signal));
    const onCpu = await load();
    const expected = await collect(onCpu.generate(ask(FRANCE, { maxTokens: 16 }), signal));
    expect(idsOf(events)).toEqual(idsOf(expected));
    expect(textOf(events)).toContain('Paris');
    const again = await collect(onGpu.generate(ask(FRANCE, { maxTokens: 16 }), signal));
    expect(idsOf(again)).toEqual(idsOf(events));
    expect(again[0]).toMatchObject({
      type: 'prompt',
      cachedTokens: (again[0] as { promptTokens: number }).promptTokens,
    });
    const two = await collect(onGpu.generate(ask(FRANCE, { maxTokens: 16, n: 2 }), signal));
    expect(textOf(two, 0)).toBe(textOf(events));
    expect(textOf(two, 1)).toBe(textOf(events));
    // Prompts of other lengths, decoded together.
    expect(onGpu.info.concurrency).toBe(8);
    const other = ask('Hello, who are you?', { maxTokens: 8 });
    const alone = await collect(onGpu.generate(other, signal));
    const together = await Promise.all([
      collect(onGpu.generate(ask(FRANCE, { maxTokens: 16 }), signal)),
      collect(onGpu.generate(other, signal)),
    ]);
    expect(together.map(idsOf)).toEqual([idsOf(events), idsOf(alone)]);
    await Promise.all([onGpu.unload(), onCpu.unload()]);
  });
});
