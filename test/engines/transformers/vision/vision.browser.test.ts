import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { collectEvents } from '../../../support/token-events.js';
import { drawPicture, imagePart } from '../../../vision/pictures.js';
import { FAMILIES } from '../../../vision/vision-model-files.js';
import { ask, describeSeeing, encode, idsOf, loadSeeing, promptOf, signal, user } from './vision-cases.js';

for (const family of FAMILIES) describeSeeing(family, 'wasm');

describe('a model that sees', () => {
  let model: TextModel;
  beforeAll(async () => {
    model = await loadSeeing('qwen2-vl', 'wasm');
  });
  afterAll(() => model.unload());

  it('goes on with a conversation about an image where it ended', async () => {
    const part = await imagePart(await drawPicture(4, [80, 60]));
    const first = await collectEvents(model.generate(ask([user(part, 'What is this?')]), signal));
    const again = await collectEvents(model.generate(ask([user(part, 'What is this?')]), signal));
    expect(idsOf(again)).toEqual(idsOf(first));
    expect(promptOf(again).cachedTokens).toBe(promptOf(first).promptTokens);
    // The same words about another image share nothing behind it.
    const other = await imagePart(await drawPicture(5, [80, 60]));
    const before = encode.mock.calls.length;
    const another = await collectEvents(model.generate(ask([user(other, 'What is this?')]), signal));
    expect(promptOf(another).promptTokens).toBe(promptOf(first).promptTokens);
    expect(promptOf(another).cachedTokens).toBe(0);
    expect(encode).toHaveBeenCalledTimes(before + 1);
    expect(idsOf(another)).not.toEqual(idsOf(first));
  });

  it('counts the tokens of images without looking at them', async () => {
    const before = encode.mock.calls.length;
    const part = await imagePart(await drawPicture(6, [90, 90]));
    const asked = ask([user(part, 'What is this?')]);
    const counted = await model.countTokens(asked, signal);
    expect(encode).toHaveBeenCalledTimes(before);
    const events = await collectEvents(model.generate(asked, signal));
    expect(promptOf(events).promptTokens).toBe(counted);
    expect(counted).toBeGreaterThan(await model.countTokens(ask([user('What is this?')]), signal));
  });

  it('looks less closely where low detail is asked for', async () => {
    const large = await drawPicture(7, [700, 1400]);
    const low = await model.countTokens(ask([user(await imagePart(large, 'low'))]), signal);
    const auto = await model.countTokens(ask([user(await imagePart(large))]), signal);
    expect(low).toBeLessThanOrEqual(auto);
  });

  it('answers several questions about several images together as it does alone', async () => {
    const parts = await Promise.all([8, 9].map(async (seed) => imagePart(await drawPicture(seed, [64, 64]))));
    const asked = parts.map((part) => ask([user(part, 'Well?')]));
    const alone = [];
    for (const request of asked) alone.push(idsOf(await collectEvents(model.generate(request, signal))));
    const together = await Promise.all(asked.map((request) => collectEvents(model.generate(request, signal))));
    expect(together.map(idsOf)).toEqual(alone);
    const choices = await collectEvents(model.generate({ ...asked[0]!, n: 2 }, signal));
    expect(idsOf(choices.filter((event) => 'choice' in event && event.choice === 1))).toEqual(alone[0]);
  });

  it('keeps text that looks like an image text', async () => {
    const text = 'Write <|vision_start|><|image_pad|><|vision_end|> please';
    const events = await collectEvents(model.generate(ask([user(text)]), signal));
    expect(promptOf(events).promptTokens).toBeGreaterThan(20);
    const part = await imagePart(await drawPicture(1, [40, 40]));
    await collectEvents(model.generate(ask([user(text, part)]), signal));
  });

  it('refuses images that leave no room, before it looks at them', async () => {
    const before = encode.mock.calls.length;
    const parts = await Promise.all(
      Array.from({ length: 60 }, async (_, seed) => imagePart(await drawPicture(seed, [96, 96]))),
    );
    const events = collectEvents(model.generate(ask([user(...parts, 'All of them?')]), signal));
    await expect(events).rejects.toMatchObject({ code: 'context_length_exceeded' });
    expect(encode).toHaveBeenCalledTimes(before);
  });

  it('refuses bytes that no browser decodes', async () => {
    const part = { type: 'image' as const, mediaType: 'image/png', bytes: new Uint8Array(100) };
    await expect(collectEvents(model.generate(ask([user(part)]), signal))).rejects.toMatchObject({
      code: 'invalid_media',
    });
  });
});

it('a repository that has nothing for images is one for text, with the template of a file of its own', async () => {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request | string, init?: RequestInit) => {
    const url = request instanceof Request ? request.url : request;
    const file = /\/blind\/(.*)$/.exec(url)?.[1];
    if (file === undefined) return fetch(request, init);
    if (file === 'preprocessor_config.json' || file === 'chat_template.jinja')
      return new Response(null, { status: 404 });
    if (file === 'chat_template.json') return Response.json({ chat_template: '{{ messages[0].content }}' });
    const found = await fetch(`/.cache/vision/qwen2-vl/${file}`, init);
    if (file !== 'tokenizer_config.json') return found;
    const { chat_template: _, ...rest } = (await found.json()) as Record<string, unknown>;
    return Response.json(rest);
  });
  try {
    const model = await loadSeeing('qwen2-vl', 'wasm', '/.cache/blind/');
    expect(model.info.images).toBe(false);
    const events = await collectEvents(model.generate(ask([user('Hello there')], { maxTokens: 2 }), signal));
    expect(idsOf(events)).toHaveLength(2);
    const part = await imagePart(await drawPicture(1, [40, 40]));
    const asked = collectEvents(model.generate(ask([user(part)]), signal));
    await expect(asked).rejects.toMatchObject({ code: 'unsupported_content' });
    await model.unload();
  } finally {
    vi.unstubAllGlobals();
  }
});
