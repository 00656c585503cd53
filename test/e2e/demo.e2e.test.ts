import { join } from 'node:path';
import type { BrowserContext } from 'playwright';
import { describe, expect, it } from 'vitest';
import { ENDLESS, finishedAnswer, loadBarTexts, openDemo, say, watch, type Watched } from './support/demo-page.js';
import { withContexts } from './support/shared-chromium.js';
import { serveFolder } from './support/serve-demo.js';
import { demoOrigin } from './support/demo-origin.js';

let context: BrowserContext;
let watched: Watched;
/** What the console may say in a test; it may say so late. */
let tolerated: RegExp | undefined;
withContexts(
  (fresh) => {
    context = fresh;
    watched = watch(context);
    tolerated = undefined;
  },
  () => {
    const problems = watched.problems.filter((problem) => !tolerated?.test(problem));
    if (problems.length > 0) throw new Error(`The page complained: ${problems.join('; ')}`);
    if (watched.hosts.size > 1) throw new Error(`The page left its origin: ${[...watched.hosts].join()}`);
  },
);

describe('the chat', () => {
  it('[S01] shows the answer while it is written, with its speed, and stops', async () => {
    const page = await openDemo(context, demoOrigin());
    await page.getByLabel('Model').selectOption('slow');
    await say(page, 'Go');
    const answer = page.locator('[data-role=assistant] .answer').last();
    await answer.filter({ hasText: 'word word word' }).waitFor();
    const length = async (): Promise<number> => (await answer.innerText()).length;
    const first = await length();
    await expect.poll(length).toBeGreaterThan(first);
    await expect.poll(() => page.getByLabel('Speed').innerText()).toMatch(/^\d+ tokens\/s$/);
    await page.getByRole('button', { name: 'Stop' }).click();
    const { text, facts } = await finishedAnswer(page);
    expect(facts).toBe('stopped');
    expect(text.length).toBeLessThan('word '.repeat(ENDLESS).length / 2);
    // The next word goes into the box without a click.
    await page.keyboard.type('More');
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('More');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('AI models that run inside this page').waitFor();
  });

  it('loads the bundled model with a bar, and speaks three dialects in one conversation', async () => {
    const page = await openDemo(context, demoOrigin());
    await say(page, 'What is the capital of France?');
    const answer = await finishedAnswer(page);
    expect(answer.text).toContain('Paris');
    expect(answer.facts).toMatch(/^\d+ tokens · (\d+ tokens\/s · )?first after \d+ ms · Chat Completions$/);
    expect((await loadBarTexts(page)).join()).toContain('tiny-chat');
    for (const [dialect, path] of [
      ['Messages', '/v1/messages'],
      ['Responses', '/v1/responses'],
    ] as const) {
      await page.getByText(dialect, { exact: true }).click();
      await say(page, 'What is 17 + 25?');
      await page.locator('footer', { hasText: dialect }).waitFor();
      expect((await finishedAnswer(page)).text).toContain('42');
      const wire = page.getByRole('complementary', { name: 'On the wire' });
      await wire.getByText(path).waitFor();
      await wire.getByText('"42').or(wire.getByText('"2"')).first().waitFor();
    }
  });

  it('asks again, differently, with settings, and keeps the conversation', async () => {
    const page = await openDemo(context, demoOrigin());
    await say(page, 'What is the capital of France?');
    expect((await finishedAnswer(page)).text).toContain('Paris');
    const asked = page.locator('[data-role=user]');
    await asked.first().getByRole('button', { name: 'Edit' }).click();
    await say(page, 'What is the capital of Italy?');
    expect((await finishedAnswer(page)).text).toContain('Rome');
    expect(await asked.allInnerTexts()).toEqual([expect.stringContaining('Italy')]);

    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Max tokens').fill('2');
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.locator('footer', { hasText: /^2 tokens/ }).waitFor();
    const wire = page.getByRole('complementary', { name: 'On the wire' });
    await wire.getByText('"max_tokens": 2').waitFor();
    await wire.getByText('As code').click();
    await wire.getByText('LangChain').click();
    await wire.getByLabel('Code').getByText('maxTokens: 2').waitFor();

    await page.reload();
    await page.locator('main[aria-busy=false]').waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    const kept = page.getByRole('listitem', { name: 'What is the capital of Italy?' });
    const download = page.waitForEvent('download');
    await kept.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('What-is-the-capital-of-Italy-.md');
    await kept.getByRole('button', { name: 'What is the capital of Italy?' }).click();
    await asked.filter({ hasText: 'Italy' }).waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await kept.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet.').waitFor();
  });

  it('shows markdown, and nothing that a model might do with it', async () => {
    const page = await openDemo(context, demoOrigin(), 'chat', {
      id: 'writer',
      task: 'chat',
      backend: 'scripted',
      script: {
        replies: [
          {
            text: '**Bold** and `code`:\n\n```js\nlet a = 1;\n```\n\n<img src="https://example.com/x.png" onerror="document.title=1"> [link](javascript:alert(1))',
          },
        ],
      },
    });
    await page.getByLabel('Model').selectOption('writer');
    await say(page, 'Write');
    const answer = page.locator('.answer.prose');
    await answer.locator('strong', { hasText: 'Bold' }).waitFor();
    expect(await answer.locator('pre code').innerText()).toContain('let a = 1;');
    await answer.getByText('<img src=').waitFor();
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.locator('a[href^=javascript]').count()).toBe(0);
  });

  it('follows the answer, unless the reader has scrolled away', async () => {
    const page = await openDemo(context, demoOrigin());
    await page.setViewportSize({ width: 390, height: 560 });
    await page.getByLabel('Model').selectOption('slow');
    await say(page, 'Go');
    const log = page.getByRole('log');
    const distance = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await page.getByText('word '.repeat(120).trim()).waitFor();
    expect(await distance()).toBeLessThan(60);
    await log.evaluate((element) => (element.scrollTop = 0));
    const height = () => log.evaluate((element) => element.scrollHeight);
    const before = await height();
    await expect.poll(height).toBeGreaterThan(before + 60);
    expect(await log.evaluate((element) => element.scrollTop)).toBe(0);
    // Nothing is wider than a phone, and the wire has a tab of its own there.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole('button', { name: 'Wire' }).click();
    await page.getByRole('heading', { name: 'On the wire' }).waitFor();
  });
});

describe('the other panels', () => {
  it('search finds the note that means the same', async () => {
    const page = await openDemo(context, demoOrigin(), 'search');
    await page.getByLabel('Query').fill('how can visitors get on the internet at our house');
    const first = page.getByRole('list', { name: 'Notes, nearest first' }).getByRole('listitem').first();
    await first.filter({ hasText: 'Wi-Fi for guests' }).waitFor();
    expect(Number(await first.getByRole('meter').getAttribute('aria-valuenow'))).toBeGreaterThan(0.4);
  });

  it('speech writes down a clip, and translates one', async () => {
    const page = await openDemo(context, demoOrigin(), 'speech');
    await page.getByRole('button', { name: /^en-2/ }).click();
    await page.getByTestId('transcript').getByText('We are going to take a photo on Sunday').waitFor();
    await page.getByText('Translate to English').click();
    await page.getByRole('button', { name: /^es-2/ }).click();
    await page.getByText('es-2.wav · ').waitFor();
    expect(await page.getByTestId('transcript').innerText()).toMatch(/Vienna/);
  });

  it('speech writes down what a microphone hears, phrase by phrase', async () => {
    // The microphone is a clip that is said again and again, with a pause.
    await context.addInitScript(() => {
      // The empty page before has none.
      if (location.protocol === 'about:') return;
      navigator.mediaDevices.getUserMedia = async () => {
        const context = new AudioContext();
        const clip = await (await fetch('/models/tiny-whisper/clips/en-2.wav')).arrayBuffer();
        const microphone = context.createMediaStreamDestination();
        const said = await context.decodeAudioData(clip);
        const sound = context.createBuffer(1, said.length + 2 * said.sampleRate, said.sampleRate);
        sound.copyToChannel(said.getChannelData(0), 0);
        const source = new AudioBufferSourceNode(context, { buffer: sound, loop: true });
        source.connect(microphone);
        source.start();
        return microphone.stream;
      };
    });
    const page = await openDemo(context, demoOrigin(), 'speech');
    await page.getByRole('button', { name: 'Listen live' }).click();
    // While the microphone is still open.
    await page.getByTestId('transcript').getByText('We are going to take a photo on Sunday').waitFor();
    const wire = page.getByRole('complementary', { name: 'On the wire' });
    expect(await wire.getByLabel('Request body').innerText()).toContain('"rate"');
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await page.getByText(/\d s in this page/).waitFor();
    expect(await page.getByRole('button', { name: 'Listen live' }).isEnabled()).toBe(true);
  });

  it('tools run in the page, and the answer uses the result', async () => {
    const page = await openDemo(context, demoOrigin(), 'tools');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await steps.filter({ hasText: 'The model answers' }).waitFor();
    expect(await steps.filter({ hasText: 'The model calls get_weather' }).innerText()).toContain('{"city":"Oslo"}');
    expect(await steps.last().innerText()).toContain('rainy');
  });

  it('models load and unload, and WebLLM models show what they need before anything is downloaded', async () => {
    const page = await openDemo(context, demoOrigin(), 'models');
    const row = page.locator('[part=model][data-model=tiny-embed]');
    const press = async (action: string, becomes: string) => {
      await row.getByRole('button', { name: `${action} tiny-embed`, exact: true }).click();
      await expect.poll(() => row.getAttribute('data-state')).toBe(becomes);
    };
    await press('Download', 'stored');
    await press('Load', 'loaded');
    await row.getByRole('radio').check();
    await page
      .getByRole('region', { name: 'About tiny-embed' })
      .getByText(/WASM, \d thread/)
      .waitFor();
    await press('Unload', 'stored');

    await page.getByText('Add a WebLLM model').click();
    await page.getByLabel('Filter models').fill('SmolLM2-360M-Instruct-q4f16_1');
    const model = page.getByRole('list', { name: 'WebLLM models' }).getByRole('listitem').first();
    await model.getByText(/about \d+ MB download · \d+ MB of GPU memory · \d+ tokens of context.*shader-f16/).waitFor();
    await model.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('huggingface.co').waitFor();
    // The policy of these pages keeps it from the hub, which the picker asks for the size.
    tolerated = /huggingface\.co/;
    await dialog.getByRole('button', { name: 'Add model' }).click();
    const added = page.locator('[part=model][data-model^=SmolLM2-360M]');
    await added.getByRole('radio').check();
    await page.getByText(/^chat · web-llm/).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('inpage-demo-models'))).toContain('SmolLM2-360M');
  });
});

it('works without a network and without its server after one visit', async () => {
  const server = await serveFolder(join(import.meta.dirname, '../../dist-demo'));
  const page = await openDemo(context, server.origin);
  await say(page, 'What is the capital of France?');
  expect((await finishedAnswer(page)).text).toContain('Paris');
  // Everything is fetched first: the engine and all three models.
  await page.getByText('works offline').waitFor({ timeout: 90_000 });
  await server.close();
  await context.setOffline(true);

  await page.reload();
  await page.locator('main[aria-busy=false]').waitFor();
  await say(page, 'What is the capital of France?');
  expect((await finishedAnswer(page)).text).toContain('Paris');
  // Also what the first visit did not use.
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByLabel('Query').fill('what time does my plane depart');
  await page.getByText('Flight to Lisbon').waitFor();
  await page.getByRole('button', { name: 'Transcribe' }).click();
  await page.getByRole('button', { name: /^en-2/ }).click();
  await page.getByTestId('transcript').getByText('We are going to take a photo on Sunday').waitFor();
  // A page without a network reports the files that it asked the server about; it has them all.
  watched.problems = watched.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'));
});
