/** What the service answers in the contexts of an extension. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainAnswer, type RawAnswer, SHARED_COUNTS } from '../testing/test-server/support/plain-answer.js';
import { SAME_MODELS, sameRequests } from '../testing/test-server/support/same-requests.js';
import { contentScriptOf, type OpenExtension, openExtension, type Tell } from './support/open-extension.js';
import { decide, openWebPage, serveWebPages, type WebServer } from './support/web-server.js';

let extension: OpenExtension;
let server: WebServer;
let page: Page;
let contexts: Record<string, Tell>;

async function open(host: string): Promise<void> {
  extension = await openExtension({ host, asks: true });
  server = await serveWebPages(extension);
  ({ page } = await openWebPage(extension, server.originAt('127.0.0.1')));
  contexts = {
    background: extension.inWorker,
    page: (await extension.openPage()).tell,
    content: contentScriptOf(page),
  };
  for (const tell of Object.values(contexts)) expect((await tell('connect')).error).toBeUndefined();
}

async function close(): Promise<void> {
  await extension?.close();
  server?.close();
}

describe('with the usual options', () => {
  beforeAll(() => open(`{ models: ${JSON.stringify(SAME_MODELS)} }`));
  afterAll(close);

  it('[Z04] every endpoint answers each context what it answers the host itself', async () => {
    const requests = await sameRequests();
    expect(requests.length).toBeGreaterThanOrEqual(60);
    const answers = async (tell: Tell): Promise<unknown> => {
      const { result, error } = await tell<RawAnswer[]>('raw', { requests });
      expect(error).toBeUndefined();
      return Object.fromEntries(requests.map(({ name }, index) => [name, plainAnswer(result![index]!, SHARED_COUNTS)]));
    };
    // A scripted model's other tokens are of the texts that it has met: it meets all of them first.
    await answers(extension.inHost);
    const expected = await answers(extension.inHost);
    for (const tell of Object.values(contexts)) expect(await answers(tell)).toEqual(expected);
  });

  it('[Z04] other addresses go to the own fetch of the context', async () => {
    for (const tell of Object.values(contexts)) {
      for (const url of ['https://elsewhere.invalid/v1/models', 'https://inpage.invalid/other'])
        expect((await tell<string>('elsewhere', { url })).result).toBe(`the context's own: ${url}`);
    }
  });
});

describe('with keys and limits', () => {
  const MOST = 6;
  beforeAll(() =>
    open(`{
      models: ${JSON.stringify(SAME_MODELS)},
      apiKeys: ['one', 'two'],
      rateLimits: { requestsPerDay: ${MOST} },
      compatibility: 'hosted',
    }`),
  );
  afterAll(close);

  const request = (key?: string): object => ({
    path: '/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    // The service's own manner has no such effort.
    base64: btoa(
      JSON.stringify({
        model: 'scripted-chat',
        reasoning_effort: 'none',
        messages: [{ role: 'user', content: 'Hello.' }],
      }),
    ),
  });
  const statuses = async (tell: Tell, key: string | undefined, count: number): Promise<unknown> => {
    const { result, error } = await tell<RawAnswer[]>('raw', { requests: Array(count).fill(request(key)) });
    return error ?? result?.map(({ status }) => status);
  };
  const times = (count: number, status: number): number[] => Array<number>(count).fill(status);

  it('[Z24] the options hold for every context, and a web page has counters of its own', async () => {
    const openAllowed = async (host: string): Promise<Tell> => {
      const { tell } = await openWebPage(extension, server.originAt(host));
      const connected = tell('connect');
      const consent = await decide(extension, server.originAt(host), 'allow');
      expect((await connected).error).toBeUndefined();
      await consent.close();
      return tell;
    };
    const [one, other] = [await openAllowed('one.localhost'), await openAllowed('other.localhost')];
    const all = [...Object.values(contexts), one, other];
    for (const tell of all) {
      expect(await statuses(tell, undefined, 1)).toEqual([401]);
      expect(await statuses(tell, 'three', 1)).toEqual([401]);
    }
    // The parts of the extension have one counter for each key.
    for (const tell of Object.values(contexts)) expect(await statuses(tell, 'one', MOST / 3)).toEqual(times(2, 200));
    for (const tell of Object.values(contexts)) expect(await statuses(tell, 'one', 1)).toEqual([429]);
    expect(await statuses(extension.inHost, 'one', 1)).toEqual([429]);
    for (const tell of Object.values(contexts)) expect(await statuses(tell, 'two', 1)).toEqual([200]);
    // So has each origin.
    expect(await statuses(one, 'one', MOST + 1)).toEqual([...times(MOST, 200), 429]);
    expect(await statuses(one, 'two', 1)).toEqual([200]);
    expect(await statuses(other, 'one', MOST + 1)).toEqual([...times(MOST, 200), 429]);
    expect(await statuses(other, 'two', 1)).toEqual([200]);
  });
});
