import type { Browser, BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { newContext, openHost } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

let browser: Browser;
let context: BrowserContext;
let page: Page;
withBrowser(async (connected) => {
  browser = connected;
  context = await newContext(browser);
  page = await openHost(context, {});
});

interface Completion {
  choices: { index: number; message: { content: string | null; reasoning?: string }; finish_reason: string }[];
  usage: { completion_tokens: number; completion_tokens_details: { reasoning_tokens: number } };
}

/** One chat completion of the bundled model, through the Service Worker. */
function ask(body: Record<string, unknown>): Promise<Completion> {
  return page.evaluate(async (more) => {
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'tiny-chat',
        messages: [{ role: 'user', content: 'Tell me a very short story.' }],
        max_tokens: 40,
        ...more,
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Completion;
  }, body);
}

const write = async (body: Record<string, unknown>): Promise<string | null | undefined> =>
  (await ask(body)).choices[0]?.message.content;

describe('sampling on the bundled model', () => {
  it('[C25] [C28] [C29] [C33] is greedy without temperature, with top_k 1, and without do_sample', async () => {
    const greedy = await write({ temperature: 0 });
    expect(greedy).toMatch(/\w+ \w+/);
    for (const same of [
      {},
      { temperature: 2, top_k: 1 },
      { top_k: 50 },
      { temperature: 0.0005, top_k: 50 },
      { temperature: 2, do_sample: false },
    ]) {
      expect(await write(same)).toBe(greedy);
    }
  });

  it('[C31] [C32] ignores presence and frequency penalties', async () => {
    const plain = await write({});
    expect(await write({ presence_penalty: 2, frequency_penalty: 5 })).toBe(plain);
    expect(await write({ presence_penalty: -2, frequency_penalty: -7 })).toBe(plain);
  });

  it('[C30] the repetition penalty changes the text', async () => {
    expect(await write({ repetition_penalty: 2 })).not.toBe(await write({ repetition_penalty: 1 }));
  });

  it('[C66] the same seed gives the same text, alone and among several choices', async () => {
    const body = { temperature: 1.5, seed: 11 };
    const first = await write(body);
    expect(await write(body)).toBe(first);
    expect((await ask({ ...body, n: 3 })).choices[0]?.message.content).toBe(first);
  });

  it('[C67] different seeds, and different choices, give different texts', async () => {
    const texts = new Set<string | null | undefined>();
    for (const seed of [1, 2, 3, 4]) texts.add(await write({ temperature: 1.5, seed }));
    expect(texts.size).toBe(4);
    const { choices } = await ask({ temperature: 1.5, seed: 1, n: 4 });
    expect(choices.map((choice) => choice.index)).toEqual([0, 1, 2, 3]);
    expect(new Set(choices.map((choice) => choice.message.content)).size).toBe(4);
  });

  it('[C65] a bias of +100 makes its token win at every step', async () => {
    const { choices, usage } = await ask({ max_tokens: 5, logit_bias: { '40': 100 } });
    const text = choices[0]?.message.content ?? '';
    expect(usage.completion_tokens).toBe(5);
    expect(text).toBe(text.slice(0, text.length / 5).repeat(5));
    expect(text).not.toBe('');
  });
});

describe('thinking on the bundled model', () => {
  it('[C58] [C60] [C71] comes apart from the content, and only when asked for', async () => {
    const messages = [{ role: 'user', content: 'What is 17 + 25?' }];
    const asked = { messages, max_tokens: 200, chat_template_kwargs: { enable_thinking: true } };
    const thinking = await ask(asked);
    const { message } = thinking.choices[0]!;
    expect(message.reasoning).toMatch(/\w/);
    expect(message.content).not.toContain(message.reasoning);
    expect(thinking.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    expect(thinking.usage.completion_tokens).toBeGreaterThan(thinking.usage.completion_tokens_details.reasoning_tokens);
    const direct = await ask({ messages });
    expect(direct.choices[0]?.message.reasoning ?? null).toBeNull();
    expect(direct.usage.completion_tokens_details.reasoning_tokens).toBe(0);
  });
});

it('runs on ONNX Runtime too, from the graphs that its GGUF file was made of', async () => {
  const own = await newContext(browser);
  const source = '/models/tiny-chat';
  const models = [{ id: 'tiny-chat', task: 'chat', backend: 'transformers', source, device: 'wasm' } as const];
  const host = await openHost(own, { models });
  const said = await host.evaluate(async () => {
    await window.inference!.load('tiny-chat');
    const response = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 20 }),
    });
    return { status: response.status, text: await response.text() };
  });
  expect(said).toMatchObject({ status: 200, text: expect.stringMatching(/"content":"\w+/) as string });
  await own.close();
});
