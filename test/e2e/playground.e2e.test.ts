/** What a visitor of the playground sees besides answers: notes, maps, waveforms, what is kept, and what it took. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultServer, sha256Of, startFaultServer } from '../store/support/fault-server.js';
import { demoOrigin } from './support/demo-origin.js';
import { finishedAnswer, openDemo, PANELS, say, watch, type Watched } from './support/demo-page.js';
import { withContexts } from './support/shared-chromium.js';
import { paddedModel } from './support/padded-model.js';

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
  },
);

const open = (panel?: string): Promise<Page> => openDemo(context, demoOrigin(), panel);
/** By the tabs, or by the menu of a narrow screen. */
async function go(page: Page, panel: string): Promise<void> {
  const menu = page.getByLabel('Panel', { exact: true });
  if (await menu.isVisible()) await menu.selectOption(panel);
  else await page.getByRole('navigation').getByRole('button', { name: panel }).click();
}

describe('a first visit', () => {
  it('offers what tiny-chat answers well, and says once what it is', async () => {
    const page = await open();
    for (const [question, sensible] of [
      ['What is the capital of France?', /Paris/],
      ['Who are you?', /tiny-chat/],
      ['Tell me a very short story.', /Once|One|There/],
      ['Make this more polite: Send me the file now.', /please/i],
    ] as const) {
      await page.getByRole('button', { name: question }).click();
      expect((await finishedAnswer(page)).text).toMatch(sensible);
      await page.getByRole('button', { name: 'New chat' }).click();
    }
    const note = page.getByRole('complementary', { name: 'About tiny-chat' });
    await note.getByRole('button', { name: 'Got it' }).click();
    await note.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Who are you?' }).waitFor();
    expect(await note.count()).toBe(0);
  });

  it('keeps a question that comes before the service runs, and sends it then', async () => {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const { serviceWorker } = navigator;
      const register = serviceWorker.register.bind(serviceWorker);
      const open = new Promise<void>((resolve) => Object.assign(window, { openTheDoor: resolve }));
      serviceWorker.register = (...registration) => open.then(() => register(...registration));
    });
    await page.goto(demoOrigin());
    await page.getByLabel('Message', { exact: true }).fill('What is the capital of France?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('sent as soon as the service runs').waitFor();
    await page.evaluate('openTheDoor()');
    expect((await finishedAnswer(page)).text).toContain('Paris');
  });

  it('says of an answer that it goes round in circles, and Stop ends it', async () => {
    const script = { replies: [{ text: 'The tide is the pull of the moon. ', repeat: 5000 }], tokenDelayMs: 5 };
    const parrot = { id: 'parrot', task: 'chat', backend: 'scripted', script };
    const page = await openDemo(context, demoOrigin(), 'chat', parrot);
    await page.getByLabel('Model').selectOption('parrot');
    await say(page, 'Explain tides');
    await page.getByText('The answer repeats itself').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
    expect(await page.getByText('The answer repeats itself').count()).toBe(0);
  });

  it('shows the newest turn on the wire, in whole lines, and what the requests took', async () => {
    const page = await open();
    await say(page, 'What is the capital of France?');
    await finishedAnswer(page);
    await say(page, 'What is the capital of Italy?');
    expect((await finishedAnswer(page)).text).toContain('Rome');
    const body = page.getByLabel('Request body');
    expect(await body.innerText()).not.toContain('France');
    await page.getByRole('button', { name: 'Show 2 earlier turns' }).click();
    await body.getByText('France').waitFor();
    expect(
      await body.evaluate((element) => element.clientHeight % Number.parseFloat(getComputedStyle(element).lineHeight)),
    ).toBe(0);

    // What is shown as code runs as it is.
    await page.getByText('As code').click();
    await page.getByText('fetch', { exact: true }).click();
    const answered = page.waitForEvent('console', { predicate: (message) => message.text().includes('[DONE]') });
    await page.evaluate(`(async () => { ${await page.getByLabel('Code').innerText()} })()`);
    expect((await answered).text()).toContain('chat.completion.chunk');

    await go(page, 'Metrics');
    const rows = page.getByRole('region', { name: 'Last requests: Chat' }).getByRole('row');
    await rows.nth(2).waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/\/chat\/completions\s+tiny-chat\s+\d+\s+\d+/);
    await page.getByText(/^empty, of \d+ models$/).waitFor();
  });
});

describe('search', () => {
  it('searches notes that are pasted in, and draws a map of them', async () => {
    const page = await open('search');
    await page.getByRole('img', { name: 'Map of 40 notes' }).waitFor();
    await page.getByText('Search your own notes').click();
    const own = ['The cat sleeps on the sofa.', 'The train to Berlin leaves at nine.', 'Buy milk, bread and eggs.'];
    await page.getByLabel('Your notes, a line each').fill(own.join('\n'));
    await page.getByRole('button', { name: 'Search these' }).click();
    const map = page.getByRole('img', { name: 'Map of 3 notes' });
    await map.waitFor();
    await page.getByLabel('Query').fill('when does my train leave');
    await page
      .getByRole('list', { name: 'Notes, nearest first' })
      .getByRole('listitem')
      .first()
      .getByText('Berlin')
      .waitFor();
    expect(await map.locator('circle').count()).toBe(4);
    await page.getByRole('button', { name: 'Back to the forty' }).click();
    await page.getByRole('img', { name: 'Map of 40 notes' }).waitFor();
  });
});

describe('speech', () => {
  it('shows how loud it is while it is spoken, and the take as a waveform', async () => {
    const page = await open('speech');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const level = page.getByRole('img', { name: 'Level' });
    await level.locator('rect').nth(5).waitFor();
    await page.getByRole('button', { name: 'Stop recording' }).click();
    await page
      .getByRole('img', { name: /^Waveform of microphone/ })
      .locator('rect')
      .nth(5)
      .waitFor();
    await page.getByRole('button', { name: /^en-2/ }).click();
    const waveform = page.getByRole('img', { name: 'Waveform of en-2.wav' });
    // More bars than silence would fill, and of more than one height.
    await waveform.locator('rect').nth(100).waitFor();
    const heights = await waveform.locator('rect').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('height')));
    expect(new Set(heights).size).toBeGreaterThan(20);
  });
});

describe('models', () => {
  let hub: FaultServer;
  const files = paddedModel(2 ** 20);
  beforeAll(async () => {
    const paths = Object.entries(files).map(([path, bytes]) => ({
      type: 'file',
      path,
      size: bytes.length,
      lfs: { oid: sha256Of(bytes), size: bytes.length },
    }));
    hub = await startFaultServer({
      'api/models/owner/small-chat': Buffer.from(JSON.stringify({ pipeline_tag: 'text-generation' })),
      'api/models/owner/small-chat/tree/main': Buffer.from(JSON.stringify(paths)),
      'api/models/owner/picture': Buffer.from(JSON.stringify({ pipeline_tag: 'image-to-image' })),
      'api/models/owner/picture/tree/main': Buffer.from('[]'),
    });
    for (const [name, bytes] of Object.entries(files)) hub.files.set(`owner/small-chat/resolve/main/${name}`, bytes);
    const embedder: [path: string, bytes: Uint8Array][] = [
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'onnx/model_quantized.onnx',
    ].map((path) => [path, readFileSync(new URL(`../../public/models/tiny-embed/${path}`, import.meta.url))]);
    embedder.push(['1_Pooling/config.json', Buffer.from('{"pooling_mode": "mean"}')]);
    const listed = embedder.map(([path, bytes]) => ({
      type: 'file',
      path,
      size: bytes.length,
      lfs: { oid: sha256Of(bytes), size: bytes.length },
    }));
    hub.files.set('api/models/owner/small-embed', Buffer.from(JSON.stringify({ pipeline_tag: 'feature-extraction' })));
    hub.files.set('api/models/owner/small-embed/tree/main', Buffer.from(JSON.stringify(listed)));
    for (const [path, bytes] of embedder) hub.files.set(`owner/small-embed/resolve/main/${path}`, bytes);
  });
  afterAll(() => hub.close());

  it('are looked up on the hub by their id, fetched, shown with their bytes, and removed', async () => {
    await context.addInitScript((url) => {
      // The empty page before has no storage.
      if (location.protocol === 'http:') localStorage.setItem('inpage-demo-hub', url);
    }, hub.url);
    const page = await open('models');
    await page.getByText('Add a model from the Hugging Face Hub').click();
    const id = page.getByLabel('Model id');
    const ask = page.getByRole('button', { name: 'Check size' });
    await id.fill('owner/picture');
    await ask.click();
    await page.getByText('owner/picture neither chats nor embeds: it is for image-to-image.').waitFor();
    await id.fill('https://hub.example/owner/small-chat/tree/main');
    await ask.click();
    const found = page.getByRole('region', { name: 'owner/small-chat' });
    await found.getByText(/Weights: q8 [78]\.\d MB/).waitFor();
    await found.getByRole('button', { name: 'Add' }).click();
    const row = page.locator('[part=model][data-model=small-chat]');
    const becomes = async (state: string) => {
      await expect.poll(() => row.getAttribute('data-state')).toBe(state);
    };
    await row.getByText(/^[78]\.\d MB$/).waitFor();
    await row.getByRole('button', { name: 'Download small-chat' }).click();
    await becomes('stored');
    await row.getByRole('button', { name: 'Load small-chat' }).click();
    await becomes('loaded');
    await row.getByRole('radio').check();
    const about = page.getByRole('region', { name: 'About small-chat' });
    await about.getByText(/^chat · transformers · WASM, \d+ threads? · q8/).waitFor();
    await row.getByRole('button', { name: 'Remove small-chat' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await becomes('absent');
    await about.getByRole('button', { name: 'Remove from the list' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('that embed search the notes, one of the hub as well as the one in the box', async () => {
    await context.addInitScript((url) => {
      if (location.protocol === 'http:') localStorage.setItem('inpage-demo-hub', url);
    }, hub.url);
    const page = await open('models');
    await page.getByText('Add a model from the Hugging Face Hub').click();
    await page.getByLabel('Model id').fill('owner/small-embed');
    await page.getByRole('button', { name: 'Check size' }).click();
    await page.getByRole('region', { name: 'owner/small-embed' }).getByRole('button', { name: 'Add' }).click();
    await go(page, 'Search');
    const nearest = page.getByRole('list', { name: 'Notes, nearest first' }).getByRole('listitem');
    await page.getByLabel('Query').fill('medicine for the dog');
    await nearest.filter({ hasText: 'The vet' }).waitFor();
    const asked = page.waitForRequest(
      (request) => request.url().endsWith('/embeddings') && (request.postData() ?? '').includes('"query"'),
    );
    await page.getByLabel('Embedding model').selectOption('small-embed');
    // The notes are embedded anew, and what was asked last is asked again.
    expect(JSON.parse((await asked).postData()!)).toMatchObject({
      model: 'small-embed',
      input: ['medicine for the dog'],
    });
    await nearest.filter({ hasText: 'The vet' }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('inpage-demo-embedder'))).toBe('small-embed');
    // The page opens without the model that was added: the one in the box searches again.
    await page.reload();
    await page.getByRole('img', { name: 'Map of 40 notes' }).waitFor();
    expect(await page.getByLabel('Embedding model').inputValue()).toBe('tiny-embed');
  });
});

describe('axe', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  /** What axe finds, a line each. */
  const findings = async (page: Page): Promise<string[]> => {
    await page.evaluate(source);
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await axe.run();
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
    });
  };

  it.each([
    ['wide and light', { width: 1280, height: 800 }, 'light'],
    ['on a dark phone', { width: 390, height: 844 }, 'dark'],
  ] as const)('finds nothing, %s', async (_, size, colorScheme) => {
    const page = await open();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    const found: string[] = [];
    for (const panel of PANELS) {
      await go(page, panel);
      found.push(...(await findings(page)).map((finding) => `${panel}: ${finding}`));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    }
    await page.goto(`${demoOrigin()}/docs/options.html`);
    await page.getByRole('searchbox').fill('hash of a folder');
    await page.getByRole('link', { name: /Model files: Integrity/ }).waitFor();
    found.push(...(await findings(page)).map((finding) => `docs: ${finding}`));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    expect(found).toEqual([]);
    // The panel `Check` asked for the list of hashes that a packed model would have, and tried a module as a worker.
    tolerated = /inpage-model\.json|import\.meta/;
  });
});
