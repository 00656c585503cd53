/** A model that is computed in the host, whose files lie in the extension. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentScriptOf, type OpenExtension, openExtension, type Tell } from './support/open-extension.js';
import { decide, openWebPage, serveWebPages, type WebServer } from './support/web-server.js';

interface Answer {
  status: number;
  body: string;
}

const question = (stream: boolean): object => ({
  path: '/chat/completions',
  init: {
    method: 'POST',
    body: JSON.stringify({
      model: 'tiny-chat',
      stream,
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    }),
  },
});

let extension: OpenExtension;
let server: WebServer;
beforeAll(async () => {
  extension = await openExtension({ models: ['tiny-chat'], asks: true });
  server = await serveWebPages(extension);
});
afterAll(async () => {
  await extension?.close();
  server?.close();
});

/** What a stream of completions says. */
const textOf = (stream: string): string =>
  [...stream.matchAll(/^data: (\{.*\})$/gm)]
    .map(([, json]) => JSON.parse(json!).choices[0]?.delta.content ?? '')
    .join('');

it.each(['the background', 'a page of the extension', 'a content script', 'a web page'])(
  '[Z22] tiny-chat answers %s, whole and as a stream',
  async (name) => {
    const tell = await openContext(name);
    const connected = tell('connect');
    if (name === 'a web page') await decide(extension, server.originAt('127.0.0.1'), 'allow');
    expect((await connected).error).toBeUndefined();
    const { result: whole, error } = await tell<Answer>('ask', question(false));
    expect(error).toBeUndefined();
    expect(whole).toMatchObject({ status: 200 });
    expect(JSON.parse(whole!.body).choices[0].message.content).toContain('Paris');
    const { result: streamed } = await tell<Answer>('ask', question(true));
    expect(textOf(streamed!.body)).toContain('Paris');
    expect(streamed!.body).toMatch(/data: \[DONE\]\n\n$/);
  },
);

async function openContext(name: string): Promise<Tell> {
  if (name === 'the background') return extension.inWorker;
  if (name === 'a page of the extension') return (await extension.openPage()).tell;
  const { page, tell } = await openWebPage(extension, server.originAt('127.0.0.1'));
  return name === 'a web page' ? tell : contentScriptOf(page);
}
