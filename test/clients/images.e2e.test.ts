/** Images from outside the page: programs send them to `inpage serve`, an app under test to the Playwright fixture. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newContext } from '../e2e/support/host-page.js';
import { connectToSharedChromium } from '../e2e/support/shared-chromium.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { openResponse } from '../support/open-responses.js';
import { VISION_MODELS } from '../vision/make-vision-models.js';
import { SEEING_MODEL } from './scenarios/images.js';

const built = (name: string): string => join(import.meta.dirname, '../../dist', name);
const { serveInference } = (await import(built('serve.js'))) as typeof import('../../src/serve/index.js');
const { installInference } = (await import(
  built('playwright.js')
)) as typeof import('../../src/testing/playwright/index.js');

/** A red heart on white, 32 pixels wide. */
const HEART =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAQMAAABJtOi3AAAABlBMVEX////cFCjKSmCFAAAAT0lEQVR42n3MsQ3AIBADQCMKSkb4UTIajMYojED5RYSxvokURXFxjWUDT9yAvNtAIScqud4Y6Z9FELMgkwOJ7ACp57bFdQtzUZcoU6SO/xwfxTd16fT74wAAAABJRU5ErkJggg==';
const DATA_URL = `data:image/png;base64,${HEART}`;

const TEXT = 'What is to be seen here?';
const TOKENS = 8;

const BODIES: Record<string, object> = {
  '/chat/completions': {
    max_tokens: TOKENS,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: DATA_URL } },
          { type: 'text', text: TEXT },
        ],
      },
    ],
  },
  '/messages': {
    max_tokens: TOKENS,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: HEART } },
          { type: 'text', text: TEXT },
        ],
      },
    ],
  },
};

/** What an answer of either dialect says, and of how many tokens its prompt was. */
function readAnswer(answer: any): { text: string; input: number } {
  const { choices, content, usage } = answer;
  return {
    text: choices ? choices[0].message.content : content[0].text,
    input: usage.prompt_tokens ?? usage.input_tokens,
  };
}

/** Random weights end a turn by chance alone, so there are many tokens for it. */
const isEnd = (token: number): boolean => token % 16 === 5;

/** Serves the made model to pages of every origin. */
async function serveModel(): Promise<{ origin: string; close(): Promise<unknown> }> {
  const folder = join(VISION_MODELS, 'qwen2-vl');
  const sendEnds = async (response: ServerResponse): Promise<void> => {
    const config = JSON.parse(await readFile(join(folder, 'generation_config.json'), 'utf8')) as object;
    const ends = Array.from({ length: 8192 }, (_, token) => token).filter(isEnd);
    response.end(JSON.stringify({ ...config, eos_token_id: [2, ...ends] }));
  };
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/generation_config.json') return void sendEnds(response);
    createReadStream(join(folder, request.url!))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a program that asks `inpage serve`', () => {
  let files: Awaited<ReturnType<typeof serveModel>>;
  let server: Awaited<ReturnType<typeof serveInference>>;
  beforeAll(async () => {
    files = await serveModel();
    const models = [{ ...SEEING_MODEL, source: `${files.origin}/` }];
    server = await serveInference({ models });
  });
  afterAll(async () => {
    await server?.close();
    await files.close();
  });

  const post = async (path: string, body: object): Promise<{ status: number; answer: any }> => {
    const response = await fetch(server.baseURL + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, answer: await response.json() };
  };

  it('has its image seen, in chat and in messages', async () => {
    const answers = [];
    for (const [path, body] of Object.entries(BODIES))
      answers.push((await post(path, { model: 'seeing', ...body })).answer);
    const [chat, messages] = answers.map(readAnswer);
    expect(chat!.text).not.toBe('');
    expect(messages).toEqual(chat);
    const messagesOfWords = [{ role: 'user', content: TEXT }];
    const { answer } = await post('/chat/completions', {
      model: 'seeing',
      max_tokens: TOKENS,
      messages: messagesOfWords,
    });
    const words = readAnswer(answer);
    expect(chat!.input).toBeGreaterThan(words.input);
    expect(words.text).not.toBe(chat!.text);
  });

  it('is told of an image that is none', async () => {
    const url = DATA_URL.slice(0, 80);
    const content = [{ type: 'image_url', image_url: { url } }];
    const refused = await post('/chat/completions', { model: 'seeing', messages: [{ role: 'user', content }] });
    expect(refused).toMatchObject({ status: 400, answer: { error: expect.stringContaining('image') } });
  });

  it('passes the image test of the Open Responses suite', async () => {
    const content = [
      { type: 'input_text', text: 'Say in a sentence what this image shows.' },
      { type: 'input_image', image_url: DATA_URL },
    ];
    const input = [{ type: 'message', role: 'user', content }];
    const { status, answer } = await post('/responses', { model: 'seeing', input, stream: false });
    expect(status).toBe(200);
    expect(openResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  });
});

describe('an app under test', () => {
  let browser: Browser;
  let app: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    const folder = join(import.meta.dirname, '../testing/playwright/example');
    [browser, app] = await Promise.all([
      connectToSharedChromium(),
      serveFolder(folder, false, true, { '/vision/': VISION_MODELS }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it('has its images seen with the Playwright fixture', async () => {
    const context = await newContext(browser);
    const inference = await installInference(context, { origin: app.origin, models: [SEEING_MODEL] });
    const page = await context.newPage();
    await page.goto(app.origin);
    const answers = await page.evaluate(async (bodies) => {
      const all: unknown[] = [];
      for (const [path, body] of Object.entries(bodies)) {
        const asked = JSON.stringify({ model: 'seeing', ...body });
        all.push(await (await fetch(`/v1${path}`, { method: 'POST', body: asked })).json());
      }
      return all;
    }, BODIES);
    const [chat, messages] = answers.map(readAnswer);
    expect(chat!.text).not.toBe('');
    expect(messages).toEqual(chat);
    expect(inference.requests[0]?.postDataJSON()).toEqual({ model: 'seeing', ...BODIES['/chat/completions'] });
    expect(await inference.status()).toMatchObject([{ id: 'seeing', images: true }]);
    await context.close();
  });
});
