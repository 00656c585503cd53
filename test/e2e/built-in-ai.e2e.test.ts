/** The browser's interfaces for built-in models, on the page's own models, in a real page. */
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { createLanguageModel } from '../support/language-model.js';
import { installIn, serveEntries } from './support/built-in-ai.js';
import { demoOrigin } from './support/demo-origin.js';
import { openHost, requireNothingLeaked, takeServerLog } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts(async (fresh) => {
  context = fresh;
  await serveEntries(context);
  await takeServerLog();
}, requireNothingLeaked);

const SCRIPTED = {
  id: 'scripted',
  task: 'chat' as const,
  backend: 'scripted' as const,
  script: { images: true, replies: [{ match: { images: 1 }, text: 'I see.' }, { text: 'Hello there.' }] },
};

async function openInstalled(options: InferenceOptions = {}, built: object = {}): Promise<Page> {
  const page = await openHost(context, options);
  await installIn(page, { force: true, ...built });
  return page;
}

/** Runs in the page with a session; errors come back as `name: message`. */
function inSession(page: Page, calls: string, options = '{}'): Promise<any> {
  return page.evaluate(`(async () => {
    const failure = (call) => Promise.resolve().then(call).then(() => 'none', ({ name }) => name);
    const session = await LanguageModel.create(${options});
    ${calls}
  })()`);
}

it('[J13] answers conform to schemas and expressions, or are refused', async () => {
  // One of the answers goes on until the context is full.
  const models = [{ id: 'tiny-chat', task: 'chat' as const, backend: 'gguf' as const, contextLength: 512 }];
  const page = await openInstalled({ models });
  const result = await inSession(
    page,
    `
    const schema = {
      type: 'object',
      properties: { city: { enum: ['Paris', 'Rome'] }, sure: { type: 'boolean' } },
      required: ['city', 'sure'],
      additionalProperties: false,
    };
    const circular = {};
    circular.self = circular;
    const refused = [/(?=a)b/, /(a)\\1/, /a/i, circular, { type: 'string', pattern: '(a)\\\\1' }];
    const usage = session.contextUsage;
    const names = [];
    for (const responseConstraint of refused) names.push(await failure(() => session.prompt('Name one.', { responseConstraint })));
    const cut = await failure(() => session.prompt('Count.', { responseConstraint: { type: 'string', minLength: 9000 } }));
    const kept = session.contextUsage === usage;
    const pieces = [];
    for await (const piece of session.promptStreaming('Name one.', { responseConstraint: schema })) pieces.push(piece);
    return {
      names,
      cut,
      kept,
      json: JSON.parse(await session.prompt('What is the capital of France?', { responseConstraint: schema })),
      streamed: JSON.parse(pieces.join('')),
      pieces: pieces.length,
      code: await session.prompt('Give a code.', { responseConstraint: /[A-Z]{2}-\\d{2}/ }),
      dot: await session.prompt('Give one.', { responseConstraint: /a.\\-b/s }),
      yes: await session.prompt('Is it?', { responseConstraint: { type: 'boolean' } }),
    };
    `,
  );
  expect(result.names).toEqual(Array(5).fill('NotSupportedError'));
  expect(result.cut).toBe('SyntaxError');
  expect(result.kept).toBe(true);
  expect(['Paris', 'Rome']).toContain(result.json.city);
  expect(['Paris', 'Rome']).toContain(result.streamed.city);
  expect(result.pieces).toBeGreaterThan(1);
  expect(result.code).toMatch(/^[A-Z]{2}-\d{2}$/);
  expect(result.dot).toMatch(/^a.-b$/s);
  expect(result.yes).toMatch(/^(true|false)$/);
});

it('[J14] a begun answer is gone on with, also under a constraint', async () => {
  const page = await openInstalled({});
  const result = await inSession(
    page,
    `
    const user = (content) => ({ role: 'user', content });
    const begun = (content) => ({ role: 'assistant', content, prefix: true });
    const question = 'What is the capital of France?';
    const whole = await session.prompt(question);
    const start = whole.slice(0, whole.indexOf(' capital'));
    const other = await LanguageModel.create();
    const rest = await other.prompt([user(question), begun(start)]);
    const usage = other.contextUsage;
    const turns = [await other.measureContextUsage(question), await other.measureContextUsage(whole)];
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
    const third = await LanguageModel.create();
    const json = await third.prompt([user(question), begun('{"city":')], { responseConstraint: schema });
    const code = await third.prompt([user('Give a code.'), begun('AB-')], { responseConstraint: /[A-Z]{2}-\\d{2}/ });
    const refuse = async (body) => {
      const answer = await inference.fetch(inference.baseURL + '/chat/completions', {
        method: 'POST',
        body: JSON.stringify({ model: 'tiny-chat', ...body }),
        headers: { 'content-type': 'application/json' },
      });
      return [answer.status, (await answer.json()).error.param];
    };
    return {
      whole,
      rest: start + rest,
      oneTurn: usage === turns[0] + turns[1],
      json: JSON.parse('{"city":' + json),
      code: 'AB-' + code,
      refused: [
        await refuse({ messages: [user(question)], continue_final_message: true }),
        await refuse({ messages: [user(question)], continue_final_message: 'yes' }),
      ],
    };
    `,
  );
  expect(result.rest).toBe(result.whole);
  expect(result.oneTurn).toBe(true);
  expect(typeof result.json.city).toBe('string');
  expect(result.code).toMatch(/^AB-\d{2}$/);
  expect(result.refused).toEqual([
    [400, 'continue_final_message'],
    [400, 'continue_final_message'],
  ]);
});

it('[J15] images and sound are read when the call is made', async () => {
  const page = await openInstalled({
    models: [
      SCRIPTED,
      { id: 'ears', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'Good morning.' }] } },
    ],
  });
  const result = await inSession(
    page,
    `
    const ask = (type, value) => session.prompt([{ role: 'user', content: [{ type, value }] }]);
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 4;
    const paint = canvas.getContext('2d');
    const fill = (colour) => { paint.fillStyle = colour; paint.fillRect(0, 0, 4, 4); };
    fill('red');
    const red = canvas.toDataURL();
    const blob = await (await fetch(red)).blob();
    const image = new Image();
    image.src = red;
    await image.decode();
    const offscreen = new OffscreenCanvas(4, 4);
    offscreen.getContext('2d').drawImage(canvas, 0, 0);
    const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'image');
    svg.setAttribute('width', 4);
    svg.setAttribute('height', 4);
    const drawn = new Promise((resolve) => svg.addEventListener('load', resolve));
    svg.setAttribute('href', red);
    drawing.append(svg);
    document.body.append(drawing);
    await drawn;
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = canvas.captureStream();
    const painting = setInterval(() => fill('red'), 20);
    await video.play();
    clearInterval(painting);
    const bytes = await blob.arrayBuffer();
    const forms = [blob, paint.getImageData(0, 0, 4, 4), await createImageBitmap(canvas), canvas, offscreen, image, svg, video, bytes,
      new Uint8Array(bytes), new VideoFrame(canvas, { timestamp: 0 })];
    const seen = [];
    for (const form of forms) seen.push(await ask('image', form));
    fill('lime');
    const late = ask('image', canvas);
    fill('blue');
    await late;
    const last = JSON.parse(window.sent.filter((body) => typeof body === 'string').findLast((body) => body.includes('"messages"')));
    image.src = last.messages.at(-1).content[0].image_url.url;
    await image.decode();
    paint.drawImage(image, 0, 0);
    const pixel = [...paint.getImageData(1, 1, 1, 1).data];
    const failures = {
      noImage: await failure(() => ask('image', new Blob(['no image']))),
      noSound: await failure(() => ask('audio', new Blob(['no sound']))),
      imageType: await failure(() => ask('image', { width: 4 })),
      soundType: await failure(() => ask('audio', canvas)),
    };
    const audio = new AudioBuffer({ length: 16000, sampleRate: 16000 });
    const header = (await (await fetch('/models/tiny-whisper/clips/en-1.wav')).blob());
    const heard = [await ask('audio', audio), await ask('audio', header), await ask('audio', await header.arrayBuffer())];
    return { seen, pixel, failures, heard };
    `,
    "{ expectedInputs: [{ type: 'image' }, { type: 'audio' }] }",
  );
  expect(result.seen).toEqual(Array(11).fill('I see.'));
  expect(result.pixel).toEqual([0, 255, 0, 255]);
  expect(result.failures).toEqual({
    noImage: 'InvalidStateError',
    noSound: 'DataError',
    imageType: 'TypeError',
    soundType: 'TypeError',
  });
  expect(result.heard).toEqual(Array(3).fill('Hello there.'));
});

it('[J04] works with a key, without a Service Worker, in a tab that does not host, and never takes itself for the browser', async () => {
  await context.addInitScript(
    `globalThis.standIn = (${createLanguageModel.toString()})({ reply: () => 'I am the browser.', window: 5000 });
     Object.defineProperty(globalThis, 'LanguageModel', { value: standIn.factory, configurable: true });`,
  );
  const own = { id: 'own', task: 'chat' as const, backend: 'built-in' as const };
  const options: InferenceOptions = { models: [own, SCRIPTED], apiKeys: ['secret'] };
  const host = await openHost(context, options);
  await installIn(host, { force: true, apiKey: 'secret' });
  const guest = await openInstalled(options, { apiKey: 'secret' });
  const strange = await openInstalled({ ...options, serviceWorker: false }, { apiKey: 'secret' });
  for (const page of [host, guest, strange]) {
    expect(await inSession(page, `return session.prompt('Hello');`)).toBe('Hello there.');
    const answer = await page.evaluate(async () => {
      const response = await window.inference!.fetch(`${window.inference!.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
        body: JSON.stringify({ model: 'own', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      return response.json();
    });
    expect(answer.choices[0].message.content).toBe('I am the browser.');
  }
  const keyless = await openInstalled(options);
  expect(await keyless.evaluate(`LanguageModel.create().then(() => 'none', ({ name }) => name)`)).toBe(
    'NotAllowedError',
  );
});

it('[J01] fills what the window lacks, and leaves what works', async () => {
  await context.addInitScript(`
    const own = (availability) => ({ availability: async () => availability });
    Object.assign(globalThis, { Summarizer: own('available'), Writer: own('unavailable'), Translator: own('downloadable'), LanguageDetector: undefined });
    delete globalThis.LanguageModel; delete globalThis.Rewriter; delete globalThis.Proofreader; delete globalThis.SemanticEmbedder;
  `);
  const page = await openHost(context, { models: [SCRIPTED] });
  expect(await installIn(page)).toEqual({
    installed: ['LanguageModel', 'Writer', 'Rewriter', 'Proofreader'],
    kept: ['Summarizer', 'Translator'],
    missing: ['LanguageDetector', 'SemanticEmbedder'],
  });
  expect(await installIn(page, { languages: ['en', 'de'], force: ['Translator'] })).toEqual({
    installed: ['LanguageModel', 'Writer', 'Rewriter', 'Translator', 'LanguageDetector', 'Proofreader'],
    kept: ['Summarizer'],
    missing: ['SemanticEmbedder'],
  });
  expect(await installIn(page, { only: ['Writer', 'Summarizer'], force: true })).toEqual({
    installed: ['Summarizer', 'Writer'],
    kept: ['LanguageModel', 'Rewriter', 'Translator', 'LanguageDetector', 'Proofreader', 'SemanticEmbedder'],
    missing: [],
  });
  expect(await page.evaluate(() => window.inference!.status().map(({ state }) => state))).toEqual(['absent']);
});

it('a page that is written for the interfaces of Chrome answers, and finds', async () => {
  // Chromium has the interface, but no model behind it: it would repeat what it is asked.
  await context.addInitScript('delete globalThis.LanguageModel; delete globalThis.SemanticEmbedder;');
  const page = await context.newPage();
  await page.goto(`${demoOrigin()}/built-in-ai.html`);
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect
    .poll(() => page.getByLabel('Answer').textContent(), { timeout: 60_000 })
    .toMatch(/^The capital .* Paris\.$/);
  await page.getByRole('button', { name: 'Find' }).click();
  await expect.poll(() => page.getByLabel('Found').textContent(), { timeout: 60_000 }).toMatch(/^The cat sleeps/);
});
