/** Images through the installed WebLLM's own image input, as far as it goes without a compiled library. */
import { describe, expect, it } from 'vitest';
import { createWebLlmBackend } from '../../../src/engines/web-llm/web-llm-backend.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { ContentPart, ImagePart, Message } from '../../../src/core/request/message.js';
import { testStore } from '../../store/support/node-store.js';
import { collectEvents, piecesOf, textOf } from '../../support/token-events.js';
import { drawPicture, imagePart } from '../../vision/pictures.js';
import { CHAT_CONFIG } from './chat-config.js';
import { FakeGpu } from './fake-gpu.js';
import { type FakeRuntime, webLlmOver } from './fake-runtime.js';

const { signal } = new AbortController();

/** As in the library: 3 rows of 4 tiles, each 12 by 12 and an end of line, a divider, and the whole picture. */
const PLACES = 3 * 12 * (4 * 12 + 1) + 1 + 12 * 13;

/** Of `mlc-chat-config.json`. */
const CONFIG = { ...CHAT_CONFIG, model_type: 'phi3_v', context_window_size: 8192 };

async function loadSeeing(changes: Partial<FakeRuntime> = {}): Promise<{ model: TextModel; runtime: FakeRuntime }> {
  const runtime: FakeRuntime = {
    images: [],
    passes: [],
    prefillChunkSize: 4096,
    vocabularySize: CHAT_CONFIG.vocab_size,
    ...changes,
  };
  const store = testStore({ fetch: async (url) => fileOf(url.slice(url.lastIndexOf('/') + 1)) });
  const library = await webLlmOver(runtime, {
    ...CONFIG,
    repetition_penalty: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
  });
  const backend = createWebLlmBackend({
    gpu: new FakeGpu() as unknown as GPU,
    freeStorage: async () => undefined,
    deviceMemory: 8,
    importWebLlm: async () => library,
    openStore: async () => store,
  });
  const folder = 'http://localhost/models/seeing/';
  const model = await backend.load(
    { id: 'seeing', task: 'chat', backend: 'web-llm', source: folder, modelLibrary: `${folder}model.wasm` },
    { onProgress: () => {}, signal, assetsURL: 'http://localhost/', pageURL: 'http://localhost/' },
  );
  return { model: model as TextModel, runtime };
}

/** tiny-chat's tokenizer, with the control token that Phi-3.5-vision has for images. */
async function fileOf(name: string): Promise<Response> {
  if (name === 'mlc-chat-config.json') return Response.json(CONFIG);
  if (name === 'tensor-cache.json') return Response.json({ records: [] });
  if (name === 'model.wasm') return new Response('none');
  if (!name.startsWith('tokenizer')) return new Response(null, { status: 404 });
  const found = await fetch(`/models/tiny-chat/${name}`);
  if (name !== 'tokenizer.json') return found;
  const tokenizer = (await found.json()) as { added_tokens: object[] };
  const token = { ...tokenizer.added_tokens.at(-1), id: 8192, content: '<|image|>' };
  return Response.json({ ...tokenizer, added_tokens: [...tokenizer.added_tokens, token] });
}

const user = (...parts: (ContentPart | string)[]): Message => ({
  role: 'user',
  content: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});

const ask = (messages: Message[], changes: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...plainGenerationRequest('seeing', { type: 'chat', messages }),
  maxTokens: 6,
  ...changes,
});

async function answer(model: TextModel, request: GenerationRequest) {
  const events = await collectEvents(model.generate(request, signal));
  const tokens = piecesOf(events).map(({ token }) => token);
  return { tokens, text: textOf(events), prompt: events.find((event) => event.type === 'prompt')! };
}

const picture = async (seed: number, size: readonly [number, number] = [64, 48]): Promise<ImagePart> =>
  imagePart(await drawPicture(seed, size));

describe('images through WebLLM’s own image input', () => {
  it('stand where they are in the prompt, each as the library counts it', async () => {
    const { model, runtime } = await loadSeeing();
    expect(model.info.images).toBe(true);
    const request = ask([user('Look: ', await picture(1), 'And?')]);
    const counted = await model.countTokens(request, signal);
    const { prompt } = await answer(model, request);
    expect(prompt.promptTokens).toBe(counted);
    const words = await model.countTokens(ask([user('Look: ', '\nAnd?')]), signal);
    expect(counted - words).toBeGreaterThanOrEqual(PLACES);
    expect(counted - words).toBeLessThan(PLACES + 3);
    const at = runtime.passes.indexOf(PLACES);
    expect(at).toBeGreaterThan(0);
    expect(runtime.passes.length).toBeGreaterThan(at + 1);
    expect(runtime.images).toEqual([
      { shape: [1, 48, 64, 3], dtype: 'uint32', firstPixel: expect.any(Array), resized: [1008, 1344], tiles: [3, 4] },
    ]);
  });

  it('are pixels as a browser shows them, transparent places white', async () => {
    const { model, runtime } = await loadSeeing();
    const canvas = new OffscreenCanvas(8, 6);
    canvas.getContext('2d')!.fillRect(4, 4, 2, 2);
    await answer(model, ask([user(await imagePart(await canvas.convertToBlob({ type: 'image/png' })))]));
    expect(runtime.images![0]!.firstPixel).toEqual([255, 255, 255]);
  });

  it('are seen in their order, and sampled alike with the library’s sampler and with its logits', async () => {
    const { model, runtime } = await loadSeeing();
    const [first, second] = [await picture(1), await picture(2)];
    const ordered = ask([user(first, second, 'What has changed?')]);
    const { tokens } = await answer(model, ordered);
    expect(runtime.passes.filter((length) => length === PLACES)).toHaveLength(2);
    const turned = await answer(model, ask([user(second, first, 'What has changed?')]));
    expect(turned.tokens).not.toEqual(tokens);
    const { model: fresh } = await loadSeeing();
    const tapped = await answer(fresh, { ...ordered, topLogprobs: 1 });
    expect(tapped.tokens).toEqual(tokens);
  });

  it('of earlier turns are not read again', async () => {
    const { model, runtime } = await loadSeeing();
    const part = await picture(3);
    const { text } = await answer(model, ask([user(part, 'What is this?')]));
    const said: Message = { role: 'assistant', content: [{ type: 'text', text }], toolCalls: [] };
    const { prompt } = await answer(model, ask([user(part, 'What is this?'), said, user('And now?')]));
    expect(prompt.cachedTokens).toBeGreaterThan(PLACES);
    expect(runtime.images).toHaveLength(1);
    const other = await answer(model, ask([user(await picture(4), 'What is this?')]));
    expect(other.prompt.cachedTokens).toBe(0);
    expect(runtime.images).toHaveLength(2);
  });

  it('of shapes that the model cannot take are refused before anything is read', async () => {
    const { model, runtime } = await loadSeeing({ prefillChunkSize: 2048 });
    const refusals = { 'too much longer': [20, 400], '2509 tokens': [100, 100] } as const;
    for (const [reason, size] of Object.entries(refusals)) {
      await expect(answer(model, ask([user(await picture(5, size))]))).rejects.toMatchObject({
        code: 'invalid_media',
        message: expect.stringContaining(reason),
      });
    }
    expect(runtime.passes).toEqual([]);
    expect((await answer(model, ask([user('Hello')]))).tokens).toHaveLength(6);
  });

  it('are refused by a model whose library has no kernel for them', async () => {
    const { model } = await loadSeeing({ images: undefined });
    expect(model.info.images).toBe(false);
    await expect(answer(model, ask([user(await picture(1))]))).rejects.toMatchObject({ code: 'unsupported_content' });
  });
});
