/** The service in a browser that is not Chromium; each has a file of its own, so that they run beside each other. @module */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoOrigin } from '../e2e/support/demo-origin.js';
import { serveFolder } from '../e2e/support/serve-demo.js';
import { axeInEveryState } from '../elements/axe-states.js';
import { tinyAdapter } from '../engines/gguf/support/tiny-adapter.js';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { RELAXED_SIMD } from '../support/relaxed-simd.js';
import { ask, DOORS, evaluate, openHost, startStream, streamedSoFar } from './host-page.js';
import type { OpenBrowser, WebDriver } from './web-driver.js';

const DEMO = join(import.meta.dirname, '../../dist-demo');
const FRANCE = 'What is the capital of France?';

/**
 * Registers the tests. A browser that is missing fails in `npm run test:browsers`, which sets `BROWSERS=required`; elsewhere
 * its tests are skipped, and the end of the run says so.
 * @param open absent: the browser is not installed
 */
export function testService(name: string, open: OpenBrowser | undefined): void {
  const isSkipped = !open && process.env['BROWSERS'] !== 'required';
  describe.skipIf(isSkipped)(`the service in ${name}`, () => {
    describeService(name, open);
  });
}

function describeService(name: string, open: OpenBrowser | undefined): void {
  let driver: WebDriver;
  beforeAll(async () => {
    if (!open) throw new Error(`${name} is not installed. Run \`node .ci/run-ts.mjs .ci/ensure-browsers.ts\`.`);
    driver = await open();
    console.warn(driver.browser);
    await openHost(driver);
  });
  afterAll(() => driver?.quit());

  it.each(DOORS)('a chat streams (%s)', async (door) => {
    const { status, text, pieces } = await ask(driver, { door, question: FRANCE, stream: true });
    expect([status, text]).toEqual([200, 'The capital of France is Paris.']);
    expect(pieces).toBeGreaterThan(1);
  });

  it('[H09] [H10] a conversation keeps what it was sent, and refuses what it should', async () => {
    const kept = await driver.execute(async (storeResponses) => {
      const options = { compatibility: 'hosted', serviceWorker: false, models: [], storeResponses } as const;
      await window.inference!.stop();
      const service = await window.startInference(options);
      const send = async (body: string): Promise<[number, { id?: string; metadata?: object }]> => {
        const answer = await service.fetch('/v1/conversations', { method: 'POST', body });
        return [answer.status, (await answer.json()) as { id?: string }];
      };
      const items = [{ role: 'user', content: 'Hi' }];
      const [status, made] = await send(JSON.stringify({ items, metadata: { topic: 'a' } }));
      const listed = await service.fetch(`/v1/conversations/${made.id}/items`);
      const { data } = (await listed.json()) as { data: object[] };
      const [many] = await send(JSON.stringify({ items: Array.from({ length: 21 }, () => items[0]) }));
      const [broken] = await send('{"items":');
      const [empty] = await send('');
      await service.stop();
      window.inference = await window.startInference();
      return [status, made.metadata, data.length, many, broken, empty];
    }, 'memory' as const);
    expect(kept).toEqual([200, { topic: 'a' }, 1, 400, 400, 200]);
  });

  it('JSON follows its schema', async () => {
    const content = await driver.execute(async (schema) => {
      const response = await fetch('/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify({
          model: 'tiny-chat',
          max_tokens: 60,
          messages: [{ role: 'user', content: 'Tell me about Ada.' }],
          response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
        }),
      });
      const answer = (await response.json()) as { choices: { message: { content: string } }[] };
      return answer.choices[0]!.message.content;
    }, SCHEMA);
    expect(JSON.parse(content)).toEqual({ name: expect.any(String) as string, age: expect.any(Number) as number });
  });

  it('texts are embedded and speech is heard', async () => {
    const { lengths, text } = await driver.execute(async () => {
      const body = JSON.stringify({ model: 'tiny-embed', input: ['a cat', 'a dog'] });
      const embedded = await (await fetch('/v1/embeddings', { method: 'POST', body })).json();
      const form = new FormData();
      form.set('model', 'tiny-whisper');
      form.set('file', await (await fetch('/models/tiny-whisper/clips/en-2.wav')).blob(), 'en-2.wav');
      const heard = await (await fetch('/v1/audio/transcriptions', { method: 'POST', body: form })).json();
      const { data } = embedded as { data: { embedding: number[] }[] };
      return { lengths: data.map(({ embedding }) => embedding.length), text: (heard as { text: string }).text };
    }, undefined);
    expect(lengths).toEqual([256, 256]);
    expect(text).toMatch(/\w+ \w+/);
  });

  it.each(DOORS)('a file is uploaded (%s)', async (door) => {
    const text = await driver.execute(async (way) => {
      const send = way === 'inference.fetch' ? window.inference!.fetch : fetch;
      const form = new FormData();
      form.set('model', 'tiny-whisper');
      form.set('file', await (await fetch('/models/tiny-whisper/clips/en-2.wav')).blob(), 'en-2.wav');
      const response = await send(`${window.inference!.baseURL}/audio/transcriptions`, { method: 'POST', body: form });
      return response.text();
    }, door);
    expect(JSON.parse(text)).toEqual({ text: expect.stringMatching(/\w+ \w+/) as string });
  });

  it('[F03] [F05] [F08] files are stored, searched, and there after a reload where they are kept', async () => {
    const { store, persistent } = await driver.execute(storeAndSearch, undefined);
    // WebKitGTK has no private file system: its files end with the page, and it says so.
    expect(persistent || name === 'WebKit').toBe(true);
    if (persistent) await openHost(driver);
    expect(await driver.execute(findAgain, store)).toEqual(['The shop opens at nine.', 'application/octet-stream', 0]);
  });

  it.each(['bytes', 'a stream'])('live speech is transcribed, sent as %s', async (kind) => {
    const text = await driver.execute(async (sent) => {
      const wav = await (await fetch('/models/tiny-whisper/clips/en-2.wav')).arrayBuffer();
      const headers = { 'content-type': `audio/pcm; rate=${new DataView(wav).getUint32(24, true)}` };
      const samples = wav.slice(44);
      const body = sent === 'bytes' ? samples : new Blob([samples]).stream();
      const url = `${window.inference!.baseURL}/audio/transcriptions?model=tiny-whisper`;
      return (await window.inference!.fetch(url, { method: 'POST', headers, body })).text();
    }, kind);
    expect(JSON.parse(text)).toEqual({ text: expect.stringMatching(/\w+ \w+/) as string });
  });

  it('a stream is the body of inference.fetch', async () => {
    const text = await driver.execute(async () => {
      const request = { model: 'tiny-chat', messages: [{ role: 'user', content: 'What is the capital of France?' }] };
      const body = new Blob([JSON.stringify(request)]).stream();
      return (await window.inference!.fetch('/v1/chat/completions', { method: 'POST', body })).text();
    }, undefined);
    expect(text).toContain('Paris');
  });

  it('MP3 is transcribed', async () => {
    const text = await driver.execute(async (base64) => {
      const form = new FormData();
      form.set('model', 'tiny-whisper');
      form.set('file', await (await fetch(`data:audio/mpeg;base64,${base64}`)).blob(), 'en-2.mp3');
      return (await window.inference!.fetch('/v1/audio/transcriptions', { method: 'POST', body: form })).text();
    }, MP3);
    expect(JSON.parse(text)).toEqual({ text: expect.stringMatching(/\w+ \w+/) as string });
  });

  it.each(
    DOORS.flatMap(
      (door) =>
        [
          [door, 'abort'],
          [door, 'cancel'],
        ] as const,
    ),
  )('[S25] an answer that is left frees the engine (%s, by %s)', async (door, way) => {
    const reason = await driver.execute(leave, { door, way });
    expect(reason).toBe(way === 'abort' ? 'AbortError' : 'end');
    expect(await ask(driver, { door: 'service-worker', question: FRANCE, stream: false })).toMatchObject({
      status: 200,
      text: 'The capital of France is Paris.',
    });
  });

  it('a page that is written for the built-in AI of Chrome answers, and finds', async () => {
    await driver.navigateTo(`${demoOrigin()}/built-in-ai.html`);
    const answers = await driver.execute(async () => {
      const [ask, find] = [...document.forms] as (HTMLFormElement & { answer: HTMLOutputElement })[];
      const isReady = (form: HTMLFormElement): boolean => !form.querySelector('button')!.disabled;
      const settled = async (form: HTMLFormElement): Promise<void> => {
        while (!isReady(form)) await new Promise((resolve) => setTimeout(resolve, 50));
      };
      const answerOf = async (form: HTMLFormElement & { answer: HTMLOutputElement }): Promise<string> => {
        await settled(form);
        form.requestSubmit();
        await settled(form);
        return form.answer.value;
      };
      return [await answerOf(ask!), await answerOf(find!)];
    }, undefined);
    expect(answers).toEqual(['The capital of France is Paris.', 'The cat sleeps on the sofa.']);
    await openHost(driver);
  });

  it('[I05] [I10] [I13] [I21] the elements show a model, load it, and answer', async () => {
    await driver.navigateTo(`${demoOrigin()}/elements.html`);
    const seen = await driver.execute(async () => {
      const until = async <Found>(find: () => Found | null | undefined | false): Promise<Found> => {
        for (;;) {
          const found = find();
          if (found) return found;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const [picker, chat] = ['inpage-models', 'inpage-chat'].map((name) => document.querySelector(name)!);
      const inRow = (selector: string) =>
        picker!.shadowRoot?.querySelector<HTMLElement>(`[data-model=tiny-chat]${selector}`);
      const size = await until(
        () => /MB/.exec(inRow(' [part=size]')?.textContent ?? '') && inRow(' [part=size]')!.textContent,
      );
      const load = await until(() => inRow(' [data-action=load]') ?? inRow(' [data-action=download]'));
      load.click();
      if (load.dataset['action'] === 'download') (await until(() => inRow(' [data-action=load]'))).click();
      await until(() => inRow('[data-state=loaded]'));
      await (chat as HTMLElement & { send: (text: string) => Promise<void> }).send('What is the capital of France?');
      const answers = [...chat!.shadowRoot!.querySelectorAll('[data-role=assistant] [part=text]')];
      return [size, ...answers.map(({ textContent }) => textContent)];
    }, undefined);
    expect(seen).toEqual(['7.2 MB', 'The capital of France is Paris.']);
    await openHost(driver);
  });

  it('[I16] axe finds nothing in any state of the elements', async () => {
    await driver.navigateTo(`${demoOrigin()}/elements.html`);
    await driver.execute(async () => {
      while (!customElements.get('inpage-chat')) await new Promise((resolve) => setTimeout(resolve, 50));
    }, undefined);
    await evaluate(driver, axe.source);
    expect(await driver.execute(axeInEveryState, undefined)).toEqual([]);
    await openHost(driver);
  });

  it('wrong requests are refused', async () => {
    const [status, code] = await driver.execute(async () => {
      const response = await fetch('/v1/chat/completions', { method: 'POST', body: '{' });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    }, undefined);
    expect([status, code]).toEqual([400, 'invalid_json']);
  });

  it('a second tab shares the engine, and takes over when the first is closed', async () => {
    const first = await driver.windowHandle();
    await ask(driver, { door: 'service-worker', question: FRANCE, stream: true });
    const second = await driver.newWindow();
    await driver.switchToWindow(second);
    await openHost(driver);
    const modelStates = () =>
      driver.execute(async () => window.inference!.status().map(({ id, state }) => `${id} ${state}`), undefined);
    expect(await modelStates()).toContain('tiny-chat ready');
    await driver.switchToWindow(first);
    await driver.closeWindow();
    await driver.switchToWindow(second);
    expect(await ask(driver, { door: 'service-worker', question: FRANCE, stream: true })).toMatchObject({
      status: 200,
      text: 'The capital of France is Paris.',
    });
  });

  it.each([
    ['service-worker', 'greedy', {}],
    ['inference.fetch', 'with a seed', { temperature: 1, seed: 4 }],
    ['service-worker', 'JSON after a schema', { response_format: FORMAT }],
  ] as const)('a stream whose host is closed is the same to the last byte (%s, %s)', async (door, _, more) => {
    const messages = [{ role: 'user', content: 'Tell me about the capital of France.' }];
    const body = { messages, max_tokens: 120, ...more };
    const whole = async (): Promise<string> => {
      await expect.poll(async () => (await streamedSoFar(driver)).ended, { timeout: 60_000 }).toBe(true);
      const { text } = await streamedSoFar(driver);
      // Ids and time are the answer's own, and the same in all of its chunks.
      const [head] = /"id":"[^"]*","object":"[^"]*","created":\d+/.exec(text) ?? [text];
      return text.replaceAll(head, '');
    };
    await openHost(driver);
    const host = await driver.windowHandle();
    const guest = await driver.newWindow();
    await driver.switchToWindow(guest);
    await openHost(driver);
    await startStream(driver, door, body);
    const expected = await whole();
    expect(expected).not.toContain('"error"');
    expect(chunksIn(expected)).toBeGreaterThan(8);
    const setFaults = (delayPerEventMs: number) =>
      driver.execute(async (delay) => window.inference!.faults.set({ delayPerEventMs: delay }), delayPerEventMs);
    await setFaults(100);
    await startStream(driver, door, body);
    await expect.poll(async () => chunksIn((await streamedSoFar(driver)).text)).toBeGreaterThan(3);
    await driver.switchToWindow(host);
    await driver.closeWindow();
    await driver.switchToWindow(guest);
    const { text, ended } = await streamedSoFar(driver);
    expect([chunksIn(text) < chunksIn(expected), ended]).toEqual([true, false]);
    expect(await whole()).toBe(expected);
  });

  it('a page that is loaded again is served again', async () => {
    await openHost(driver);
    expect(await ask(driver, { door: 'service-worker', question: FRANCE, stream: false })).toMatchObject({
      status: 200,
    });
  });

  it('a model in a GGUF file chats, and so does its adapter', async () => {
    const files = mkdtempSync(join(tmpdir(), 'inpage-gguf-'));
    writeFileSync(join(files, 'tiny.gguf'), tinyFile({ kind: 'Q4_0' }));
    writeFileSync(join(files, 'lora.gguf'), tinyAdapter({ model: {} }));
    const server = await serveFolder(DEMO, true, true, { '/gguf/': files });
    try {
      const loras = [{ source: '/gguf/lora.gguf', id: 'sql' }];
      const entry = { id: 'tiny', task: 'chat', backend: 'gguf', source: '/gguf/tiny.gguf', loras } as const;
      await openHost(driver, server.origin, { models: [entry] });
      const answers = await driver.execute(askBoth, undefined);
      for (const { model, text, logprobs } of answers) {
        expect([model, text]).not.toEqual([model, '']);
        expect(logprobs.every((each) => each <= 0)).toBe(true);
      }
      expect(answers.map(({ model }) => model)).toEqual(['tiny', 'tiny:sql']);
      expect(answers[0]!.logprobs).not.toEqual(answers[1]!.logprobs);
      const { relaxed, status } = await driver.execute(stateOfTiny, RELAXED_SIMD);
      expect(status).toMatchObject({ backend: 'gguf', device: 'wasm', dtype: 'q4_0', contextLength: 512 });
      // Where a browser lacks relaxed SIMD, the app is told.
      expect(/relaxed SIMD .* twice as long/.test(status.warning ?? '')).toBe(!relaxed);
    } finally {
      await driver.navigateTo('about:blank');
      await server.close();
      rmSync(files, { recursive: true });
    }
  });

  it('workers start after the server has said 304 without the headers of isolation', async () => {
    const server = await serveFolder(DEMO, true, true, {}, 'bare');
    try {
      for (let visit = 1; visit <= 4; visit++) {
        await openHost(driver, server.origin);
        expect(await ask(driver, { door: 'inference.fetch', question: FRANCE, stream: false })).toMatchObject({
          status: 200,
        });
      }
    } finally {
      await driver.navigateTo('about:blank');
      await server.close();
    }
  });
}

const MP3 = readFileSync(join(import.meta.dirname, '../fixtures/audio/en-2.mp3')).toString('base64');

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

const NAMES = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string', maxLength: 12 }, minItems: 8, maxItems: 8 } },
  required: ['names'],
  additionalProperties: false,
};
const FORMAT = { type: 'json_schema', json_schema: { name: 'names', strict: true, schema: NAMES } };

/** Runs in the page: what the model says, and what its adapter does. */
async function askBoth(): Promise<{ model: string; text: string; logprobs: number[] }[]> {
  interface Answer {
    model: string;
    choices: { message: { content: string }; logprobs: { content: { logprob: number }[] } }[];
  }
  const ask = async (model: string) => {
    const messages = [{ role: 'user', content: 'Hello!' }];
    const body = JSON.stringify({ model, messages, max_tokens: 16, logprobs: true });
    const response = await fetch('/v1/chat/completions', { method: 'POST', body });
    if (!response.ok) throw new Error(await response.text());
    const answer = (await response.json()) as Answer;
    const [choice] = answer.choices;
    const logprobs = choice!.logprobs.content.map(({ logprob }) => logprob);
    return { model: answer.model, text: choice!.message.content, logprobs };
  };
  return [await ask('tiny'), await ask('tiny:sql')];
}

/** Runs in the page. */
async function stateOfTiny(program: number[]) {
  const status = window.inference!.status().find(({ id }) => id === 'tiny')!;
  return { relaxed: WebAssembly.validate(new Uint8Array(program)), status: { ...status } };
}

/** How many pieces of text have come. */
const chunksIn = (text: string): number => text.match(/"content":"/g)?.length ?? 0;

/** Runs in the page: begins an answer that would last, leaves it, and tells how its reader sees that. */
async function leave({ door, way }: { door: string; way: string }): Promise<string> {
  const send = door === 'inference.fetch' ? window.inference!.fetch : fetch;
  const controller = new AbortController();
  const response = await send(`${window.inference!.baseURL}/chat/completions`, {
    method: 'POST',
    signal: controller.signal,
    body: JSON.stringify({
      model: 'tiny-chat',
      stream: true,
      max_tokens: 1_500,
      // The end of the turn.
      logit_bias: { 2: -100 },
      messages: [{ role: 'user', content: 'Tell me a long story.' }],
    }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  if (way === 'abort') controller.abort();
  else await reader.cancel();
  try {
    for (;;) if ((await reader.read()).done) return 'end';
  } catch (thrown) {
    return (thrown as Error).name;
  }
}

interface FoundPage {
  data: { file_id: string; content: { text: string }[] }[];
}

/** Runs in the page: stores a file, and waits until it is indexed. */
async function storeAndSearch(): Promise<{ store: string; persistent: boolean }> {
  const send = async (path: string, init?: RequestInit): Promise<{ id: string; status: string }> => {
    const response = await window.inference!.fetch(window.inference!.baseURL + path, init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: string; status: string };
  };
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new File(['<p>The shop <b>opens</b> at nine.'], 'shop.html', { type: 'text/html' }));
  const file = await send('/files', { method: 'POST', body: form });
  const store = await send('/vector_stores', { method: 'POST', body: JSON.stringify({ file_ids: [file.id] }) });
  for (let { status } = store; status !== 'completed';) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ({ status } = await send(`/vector_stores/${store.id}`));
  }
  return { store: store.id, persistent: (await window.inference!.storedFiles()).persistent };
}

/** Runs in the page: what a search finds, how its content is told, and how many files are left when all are removed. */
async function findAgain(store: string): Promise<[text: string, type: string | null, left: number]> {
  const { fetch: send, baseURL } = window.inference!;
  const body = JSON.stringify({ query: 'when does it open' });
  const found = (await (
    await send(`${baseURL}/vector_stores/${store}/search`, { method: 'POST', body })
  ).json()) as FoundPage;
  const [best] = found.data;
  // By the Service Worker, where a page could be opened.
  const content = await fetch(`/v1/files/${best!.file_id}/content`);
  await content.arrayBuffer();
  await window.inference!.removeFiles();
  const { count } = await window.inference!.storedFiles();
  return [best!.content[0]!.text, content.headers.get('content-type'), count];
}
