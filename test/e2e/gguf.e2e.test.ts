/** Models in GGUF files, through the service in a page. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { started } from './support/host-page.js';
import { serveFolder } from './support/serve-demo.js';
import { withContexts } from './support/shared-chromium.js';

const demo = join(import.meta.dirname, '../../dist-demo');
const files = mkdtempSync(join(tmpdir(), 'inpage-gguf-'));
const ENTRY = { id: 'tiny', task: 'chat', backend: 'gguf', source: '/gguf/tiny.gguf' } as const;

interface Answer {
  choices: { message: { content: string }; logprobs?: { content: { logprob: number }[] } }[];
}

describe('a model in a GGUF file', () => {
  let context: BrowserContext;
  let app: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    writeFileSync(join(files, 'tiny.gguf'), tinyFile());
    app = await serveFolder(demo, true, true, { '/gguf/': files });
  });
  afterAll(async () => {
    await app.close();
    rmSync(files, { recursive: true });
  });
  withContexts((fresh) => (context = fresh));

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${app.origin}/host.html#${encodeURIComponent(JSON.stringify({ models: [ENTRY] }))}`);
    await started(page);
    return page;
  };
  const ask = (page: Page, text: string, more: Record<string, unknown> = {}): Promise<Answer> =>
    page.evaluate(
      async ([content, others]) => {
        const response = await fetch('/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content }], max_tokens: 24, ...others }),
        });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as Answer;
      },
      [text, more] as const,
    );

  it('answers, tells what it runs on, and fetches nothing of ONNX Runtime', async () => {
    const page = await open();
    const answer = await ask(page, 'Hello!');
    expect(answer.choices[0]!.message.content).not.toBe('');
    const status = await page.evaluate(() => window.inference!.status().find(({ id }) => id === 'tiny'));
    expect(status).toMatchObject({ backend: 'gguf', device: 'wasm', dtype: 'q8_0', contextLength: 512, threads: 1 });
    const fetched = (await (await fetch(`${app.origin}/__log`)).json()) as string[];
    expect(fetched.filter((line) => /ort|onnx/i.test(line))).toEqual([]);
    const own = fetched.filter((line) => /gguf/i.test(line));
    expect(own.some((line) => line.endsWith('.wasm'))).toBe(true);
  });

  it('[W18] gives the same log-probabilities alone, among others, anew and from the cache', async () => {
    const page = await open();
    const texts = ['One', 'Two words', 'Three words more', 'One two three four five six seven eight nine ten'];
    const wish = { logprobs: true };
    const logprobs = (answer: Answer): number[] => answer.choices[0]!.logprobs!.content.map(({ logprob }) => logprob);
    const alone: number[][] = [];
    for (const text of texts) alone.push(logprobs(await ask(page, text, wish)));
    const together = await Promise.all([...texts, ...texts].map((text) => ask(page, text, wish)));
    expect(together.map(logprobs)).toEqual([...alone, ...alone]);
    const again = await ask(page, texts[3]!, { ...wish, n: 2 });
    expect(again.choices.map(({ logprobs: given }) => given!.content.map(({ logprob }) => logprob))).toEqual([
      alone[3],
      alone[3],
    ]);
    const cached = await page.evaluate(async (input) => {
      const body = JSON.stringify({ model: 'tiny', input, max_output_tokens: 16 });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/v1/responses', { method: 'POST', headers, body });
      const { usage } = (await response.json()) as { usage: { input_tokens_details: { cached_tokens: number } } };
      return usage.input_tokens_details.cached_tokens;
    }, texts[3]!);
    expect(cached).toBeGreaterThan(20);
  });
});

describe('the bundled chat model', () => {
  let context: BrowserContext;
  withContexts((fresh) => (context = fresh));

  it('[W19] chats after at most 8 MB in all, none of them of ONNX Runtime or an ONNX file', async () => {
    const server = await serveFolder(demo);
    try {
      const page = await context.newPage();
      await page.goto(`${server.origin}/host.html`);
      await started(page);
      const text = await page.evaluate(async () => {
        const response = await fetch('/v1/chat/completions', {
          method: 'POST',
          body: JSON.stringify({
            model: 'tiny-chat',
            messages: [{ role: 'user', content: 'What is the capital of France?' }],
          }),
        });
        return ((await response.json()) as Answer).choices[0]!.message.content;
      });
      expect(text).toContain('Paris');
      const fetched = (await (await fetch(`${server.origin}/__log`)).json()) as string[];
      expect(fetched.filter((line) => /ort|onnx|transformers/i.test(line))).toEqual([]);
      expect(fetched).toContain('GET /models/tiny-chat/tiny-chat-Q8_0.gguf');
      expect(server.sent()).toBeLessThan(8e6);
      const entry = await page.evaluate(() => window.inference!.status().find(({ id }) => id === 'tiny-chat'));
      expect(entry).toMatchObject({ backend: 'gguf', device: 'wasm', dtype: 'q8_0' });
    } finally {
      await server.close();
    }
  });
});
