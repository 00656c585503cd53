import { describe, expect, it, type TestContext } from 'vitest';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { answersBegun, ask, MODELS, openTab, type Seen, stick } from './chaos-tabs.js';

/** A browser of its own for each test: they run at once, as each waits for the same silence. */
async function launch({ onTestFinished }: TestContext): Promise<RawChromium> {
  const browser = await RawChromium.launch();
  onTestFinished(() => browser.close());
  return browser;
}

const served = { status: 200, text: expect.stringContaining('w0 w1 w2 w3 w4') as string };

/** Each word once, and the end. */
function isWhole({ text }: Seen): boolean {
  const said = Array.from(text.matchAll(/"content":"([^"]*)"/g), ([, content]) => content).join('');
  const words = Array.from({ length: 150 }, (_, word) => `w${word} `).join('');
  return said === words && text.endsWith('[DONE]\n\n');
}

/** Seconds; the shortest silence of a model worker that counts is longer. */
const requestTimeout = 2;

/** The model's state as the page knows it. */
const stateOf = (page: RawPage, model: string) =>
  page.evaluate<string>(`inference.status().find(({ id }) => id === '${model}').state`);

/** A stream of some seconds that runs. @param expect the test's own, since others run at the same time */
async function startLong(page: RawPage, { expect }: TestContext): Promise<{ end: Promise<Seen> }> {
  const before = await answersBegun(page);
  const end = ask(page, 'long', 'service-worker', true);
  end.catch(() => {}); // The test may have failed before it looks.
  // What has not begun when a worker gets stuck may be refused.
  await expect.poll(() => answersBegun(page)).toBeGreaterThan(before);
  return { end };
}

describe.concurrent('a worker in an endless loop', () => {
  it('the gateway: is replaced, the next goes on with what ran, and answers', async (context) => {
    const browser = await launch(context);
    const host = await openTab(browser);
    const guest = await openTab(browser);
    const stream = await startLong(host, context);
    await stick(host, 'inpage-gateway');
    const next = await ask(guest);
    expect(next.status === 200 ? next : await ask(guest)).toMatchObject(served);
    expect(await stream.end).toSatisfy(isWhole);
    expect(await ask(host)).toMatchObject(served);
  });

  it('a model: is replaced, its stream goes on, the next answers are right', async (context) => {
    const page = await openTab(await launch(context), { ...MODELS, requestTimeout });
    const stream = await startLong(page, context);
    await stick(page, 'inpage-model');
    expect(await stream.end).toSatisfy(isWhole);
    await startLong(page, context);
    expect(await ask(page)).toMatchObject(served);
  });

  it('a model: a request that waits for its first token gets an error in time', async (context) => {
    const page = await openTab(await launch(context), { ...MODELS, requestTimeout });
    expect(await ask(page)).toMatchObject(served);
    await stick(page, 'inpage-model');
    expect(await ask(page)).toMatchObject({ status: 408 });
    await context.expect.poll(() => stateOf(page, 'quick'), { timeout: 60_000 }).not.toBe('busy');
    expect(await ask(page)).toMatchObject(served);
  });
});
