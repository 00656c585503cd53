/** The playground's panels and offers that need no conversation: one page, one loaded model. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { tinyFile } from '../engines/gguf/support/tiny-file.js';
import { demoOrigin } from './support/demo-origin.js';
import { createLanguageModel } from '../support/language-model.js';
import { finishedAnswer, openDemo, say, watch, type Watched } from './support/demo-page.js';
import { newContext } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

/** A visitor's own additions. */
const SPEAKER = { id: 'speaker', task: 'text-to-speech', backend: 'scripted', script: { replies: [] } };
const EAR = { id: 'ear', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'Go on' }] } };
/** Talks for as long as it is let, a sentence at a time. */
const TALKER = {
  id: 'talker',
  task: 'chat',
  backend: 'scripted',
  contextLength: 100_000,
  script: { replies: [{ text: 'This is one of very many sentences. ', repeat: 5000 }], tokenDelayMs: 15 },
};
/** Cites what it was given first. */
const READER = {
  id: 'reader',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ match: 'opens at nine', text: 'It opens at nine【1】.' }, { text: 'Nothing.' }] },
};
const JUDGE = {
  id: 'judge',
  task: 'rerank',
  backend: 'scripted',
  script: { replies: [{ match: 'Rex', score: 0.9 }, { match: 'vet', score: 0.5 }, { score: 0.1 }] },
};

/** What a device with 4 GB, plenty of room and no GPU is offered. */
const OFFERED = 'Qwen3-0.6B-GGUF';

let browser: Browser;
let context: BrowserContext;
let watched: Watched;
let hub: FaultServer;
let page: Page;
beforeAll(async () => {
  browser = await connectToSharedChromium();
  hub = await startFaultServer(hubFiles(`unsloth/${OFFERED}`));
  context = await newContext(browser);
  watched = watch(context);
  await context.addInitScript((url) => {
    // The empty page before has no storage.
    if (location.protocol !== 'http:') return;
    localStorage.setItem('inpage-demo-hub', url);
    navigator.storage.estimate = async () => ({ quota: 5e9, usage: 0 });
    Object.defineProperty(navigator, 'deviceMemory', { value: 4 });
    Object.defineProperty(navigator, 'gpu', { value: undefined });
    // The browser's own takes up to a minute.
    const breakdown = [
      { bytes: 3e6, attribution: [{ scope: 'Window' }] },
      { bytes: 2e8, attribution: [{ scope: 'DedicatedWorkerGlobalScope' }] },
    ];
    Object.assign(performance, { measureUserAgentSpecificMemory: async () => ({ breakdown }) });
  }, hub.url);
  await context.addInitScript(
    `Object.defineProperty(globalThis, 'LanguageModel', { value: (${createLanguageModel.toString()})().factory });`,
  );
  page = await openDemo(context, demoOrigin(), 'chat', [TALKER, JUDGE, SPEAKER, EAR, READER]);
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  // A schema that was refused, the time without a network, and what the check of the page tried: a list of hashes, and a module as a worker.
  const expected = /status of 400|ERR_INTERNET_DISCONNECTED|inpage-model\.json|import\.meta/;
  expect(watched.problems.filter((problem) => !expected.test(problem))).toEqual([]);
});

/** tiny-chat under the name of the model that is offered. */
function hubFiles(id: string): Record<string, Uint8Array> {
  const weights = readFileSync(new URL('../../public/models/tiny-chat/tiny-chat-Q8_0.gguf', import.meta.url));
  const files = { 'Qwen3-0.6B-Q4_K_M.gguf': weights };
  const tree = Object.entries(files).map(([path, bytes]) => ({
    type: 'file',
    path,
    size: bytes.length,
    lfs: { oid: sha256Of(bytes), size: bytes.length },
  }));
  const served = Object.entries(files).map(([name, bytes]) => [`${id}/resolve/main/${name}`, bytes] as const);
  return { [`api/models/${id}/tree/main`]: Buffer.from(JSON.stringify(tree)), ...Object.fromEntries(served) };
}

const go = (panel: string): Promise<void> =>
  page.getByRole('navigation').getByRole('button', { name: panel, exact: true }).click();

it('a better model is one click away; without a network the click says so, and nothing else', async () => {
  const offer = page.getByRole('complementary', { name: 'Better answers' });
  await offer.getByText(OFFERED).waitFor();
  // What it fetches by then would else fail.
  await page.getByText('works offline').waitFor({ timeout: 90_000 });
  await context.setOffline(true);
  await offer.getByRole('button', { name: 'Get it' }).click();
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([
    expect.stringMatching(/^There is no network now, and the model comes from 127\.0\.0\.1/),
  ]);
  expect(await page.locator('progress').count()).toBe(0);
  await context.setOffline(false);
  await offer.getByRole('button', { name: 'Try again' }).click();
  await offer.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Model').inputValue()).toBe(OFFERED);
  await say(page, 'What is the capital of France?');
  expect((await finishedAnswer(page)).text).toContain('Paris');
});

it('the way to ask is within reach on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('think').check();
  await page.getByText('Messages', { exact: true }).click();
  await say(page, 'What is 2 + 3?');
  await page.locator('footer', { hasText: 'Messages' }).waitFor();
  expect(await page.getByLabel('Request body').textContent()).toContain('"thinking"');
  await page.setViewportSize({ width: 1280, height: 800 });
});

it('what a panel would send is on the wire before it has sent anything', async () => {
  const wire = page.getByRole('complementary', { name: 'On the wire' });
  const shown: Record<string, string> = {
    Tools: '/v1/chat/completions',
    Decide: '/v1/decisions',
    Transcribe: '/v1/audio/transcriptions',
    'Read aloud': '/v1/audio/speech',
  };
  for (const [panel, path] of Object.entries(shown)) {
    await go(panel);
    await wire.getByText('Not sent yet.').waitFor();
    expect(await wire.getByText('POST').innerText()).toBe(`POST ${path}`);
  }
  // What was sent is still there.
  await go('Chat');
  await wire.getByText('POST /v1/messages').waitFor();
  await go('JSON');
  await page.getByLabel('JSON Schema').waitFor();
  expect(await page.getByLabel('Request body').innerText()).toContain('"json_schema"');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await wire.getByText('Not sent yet.').waitFor({ state: 'detached' });
});

describe('JSON', () => {
  it('an answer conforms to the schema', async () => {
    await go('JSON');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const answer = JSON.parse(await page.getByLabel('Answer').innerText()) as object;
    expect(answer).toMatchObject({ name: expect.any(String), age: expect.any(Number), city: expect.any(String) });
  });

  it('names the field of a bad schema', async () => {
    const schema = page.getByLabel('JSON Schema');
    const alert = page.getByRole('alert');
    await schema.fill('{ "type": "object", "properties": { "age": { "type": "integr" } } }');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await alert.filter({ hasText: 'properties.age.type' }).waitFor();
    expect(await schema.getAttribute('aria-invalid')).toBe('true');
    await schema.fill('{ "type": ');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await alert.filter({ hasText: 'The schema is not valid JSON' }).waitFor();
  });
});

it('metrics are shown by kind of request, with the first token that the chat told', async () => {
  await go('Chat');
  const facts = await page.locator('[data-role=assistant] footer').last().innerText();
  await go('Search');
  await page.getByRole('img', { name: 'Map of 40 notes' }).waitFor();
  await go('Metrics');
  const first = /first after (\d+) ms/.exec(facts)![1]!;
  const chat = page.getByRole('region', { name: 'Last requests: Chat' });
  await chat.getByRole('row', { name: '/messages' }).getByText(first, { exact: true }).waitFor();
  await page.getByRole('figure', { name: /^Texts per second/ }).waitFor();
  expect(await page.getByRole('figure', { name: /^First token/ }).innerText()).toMatch(
    /\d ms[\s\S]*newest on the right/,
  );
  await page.getByText('203 MB: page 3.0 MB, workers with the models 200 MB').waitFor();
});

describe('search', () => {
  it('reranks its hits, both orders side by side', async () => {
    await go('Search');
    await page.getByLabel('Query').fill('medicine for the dog');
    const nearest = page.getByRole('list', { name: 'Notes, nearest first' }).getByRole('listitem');
    await nearest.filter({ hasText: 'The vet' }).waitFor();
    await page.getByLabel('rerank with judge').check();
    const better = page.getByRole('list', { name: 'Notes, reranked' }).getByRole('listitem');
    await better
      .nth(1)
      .filter({ hasText: 'The vet' })
      .or(better.first().filter({ hasText: 'The vet' }))
      .waitFor();
    expect(await nearest.count()).toBe(8);
    expect(
      Number(await better.first().getByRole('meter', { name: 'Relevance' }).getAttribute('aria-valuenow')),
    ).not.toBe(Number(await nearest.first().getByRole('meter', { name: 'Similarity' }).getAttribute('aria-valuenow')));
  });
});

describe('speech', () => {
  it('is made of a text, seen while it is heard, and downloaded', async () => {
    await go('Read aloud');
    await page.getByLabel('Text to speak').fill('Good day to you all.');
    await page.getByRole('button', { name: 'Speak', exact: true }).last().click();
    const spoken = page.getByRole('region', { name: 'Spoken' });
    const bars = spoken.getByRole('img', { name: 'Waveform of speech.wav' }).locator('rect');
    await bars.and(page.locator('[data-ahead=false]')).nth(10).waitFor();
    const download = page.waitForEvent('download');
    await spoken.getByText('Download').click();
    expect((await download).suggestedFilename()).toBe('speech.wav');
    await expect
      .poll(() => page.getByLabel('Voice', { exact: true }).locator('option').allInnerTexts())
      .toEqual(['alloy', 'low', 'high']);
  });

  it('reads an answer aloud from its first sentence, while the rest is written', async () => {
    await go('Chat');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByLabel('Model').selectOption('talker');
    await say(page, 'Go');
    const asked = page.waitForRequest(/audio\/speech/);
    await page.getByRole('main').getByRole('button', { name: 'Read aloud' }).click();
    expect((await asked).postDataJSON()).toMatchObject({ input: 'This is one of very many sentences.' });
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop reading' }).click();
    await page.getByRole('main').getByRole('button', { name: 'Read aloud' }).waitFor();
  });

  it('is a conversation while the microphone is held; talking again interrupts', async () => {
    // The answer before is still being written.
    const talk = page.getByRole('button', { name: 'Hold to talk' });
    const turns = page.locator('[data-role=user]');
    for (const count of [2, 3]) {
      await talk.dispatchEvent('pointerdown');
      await page.getByText('Listening while you hold the button').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
      await talk.dispatchEvent('pointerup');
      await turns
        .nth(count - 1)
        .filter({ hasText: 'Go on' })
        .waitFor();
      await page.getByRole('button', { name: 'Stop reading' }).waitFor();
    }
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop reading' }).click();
  });
});

it('[F19] [F22] files of one’s own are searched, and the sentence that was used is marked', async () => {
  await go('Chat');
  await page.getByLabel('Model').selectOption('reader');
  await go('Your files');
  await page.getByText('No files yet.').waitFor();
  await page.getByLabel('Choose files').setInputFiles([
    {
      name: 'shop.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('We sell tea. The shop opens at nine. Bring a bag.'),
    },
    { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 1]) },
  ]);
  const rows = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await rows.filter({ hasText: 'shop.txt' }).getByText('ready').waitFor();
  await rows.filter({ hasText: 'neither text nor HTML' }).waitFor();
  await page.getByLabel('Question about your files').fill('When does the shop open?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const found = page.getByRole('region', { name: 'What was found' }).getByRole('listitem');
  await found.filter({ hasText: 'cited' }).waitFor();
  expect(await found.locator('mark').allInnerTexts()).toEqual(['The shop opens at nine.']);
  expect(await page.getByRole('region', { name: 'Answer' }).innerText()).toBe('It opens at nine.');
  await page.getByRole('button', { name: 'Remove all' }).click();
  await page.getByText('No files yet.').waitFor();
});

it('the browser’s own model is offered with what it needs, and answers', async () => {
  await go('Models');
  const offer = page.getByRole('complementary', { name: 'The browser’s built-in model' });
  await offer.getByText('on this device already').waitFor();
  await offer.getByRole('button', { name: 'Get it' }).click();
  await offer.waitFor({ state: 'detached' });
  await go('Chat');
  expect(await page.getByLabel('Model').inputValue()).toBe('browser-model');
  await page.getByRole('button', { name: 'New chat' }).click();
  await say(page, 'Hello');
  expect((await finishedAnswer(page)).text).toContain('I am the model that this browser has');
});

it('what is stored of responses is counted, and removed by a button', async () => {
  const stored = page.getByRole('region', { name: 'Stored responses' });
  await go('Models');
  await stored.getByText('Nothing yet.').waitFor();
  expect(await stored.getByRole('button').isDisabled()).toBe(true);
  await page.evaluate(async () => {
    for (const store of [true, true, false]) {
      const body = JSON.stringify({ model: 'browser-model', input: 'Hello', store });
      const response = await fetch('/v1/responses', { method: 'POST', body });
      if (!response.ok) throw new Error(await response.text());
      await response.text();
    }
  });
  await go('Chat');
  await go('Models');
  await stored.getByText(/^2 responses · \d+(\.\d+)? kB$/).waitFor();
  await stored.getByRole('button', { name: 'Remove responses' }).click();
  await stored.getByText('Nothing yet.').waitFor();
});

it('the check of the page finds that everything works', async () => {
  await go('Check');
  const findings = page.getByRole('list', { name: 'Findings' }).getByRole('listitem');
  await findings.filter({ hasText: 'webgpu' }).waitFor();
  expect(await findings.filter({ hasText: 'problem' }).allInnerTexts()).toEqual([]);
  expect(await findings.filter({ hasText: 'inference runs with' }).count()).toBe(1);
  expect(
    await page.getByRole('region', { name: 'How fast is this device?' }).getByRole('button').allInnerTexts(),
  ).toEqual(['Measure']);
});

it('a GGUF file of the disk is picked, answers, and is there on the next visit without being asked for', async () => {
  await go('Models');
  const card = page.getByRole('region', { name: 'A GGUF file from your disk' });
  const pick = (name: string, bytes: Uint8Array): Promise<void> =>
    card
      .getByLabel('Choose a GGUF file')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
  await pick('notes.gguf', new TextEncoder().encode('These are my notes.'));
  expect(await card.getByRole('alert').innerText()).toContain('`notes.gguf` is not a GGUF file');
  expect(await page.locator('[data-model="disk/notes"]').count()).toBe(0);
  await pick('my model.gguf', tinyFile());
  await card.getByText('disk/my model is ready').waitFor();
  const answers = async (shown: Page): Promise<string> => {
    expect(await shown.getByLabel('Model').inputValue()).toBe('disk/my model');
    await say(shown, 'Hello');
    const { text, facts } = await finishedAnswer(shown);
    expect(facts).toMatch(/tokens?/);
    return text;
  };
  await go('Chat');
  await page.getByRole('button', { name: 'New chat' }).click();
  expect(await answers(page)).not.toBe('');
  await page.close();
  const later = await context.newPage();
  await later.goto(demoOrigin());
  await later.locator('main[aria-busy=false]').waitFor();
  expect(await answers(later)).not.toBe('');
  const asked = (await (await fetch(`${demoOrigin()}/__log`)).json()) as string[];
  expect(asked.filter((line) => line.includes('/disk/'))).toEqual([]);
});
