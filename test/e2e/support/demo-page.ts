/** The playground in a real browser: opens it, watches it, and asks it things. */
import type { BrowserContext, Page } from 'playwright';

/** Names of the playground's panels, in their order; the first one is shown at the start. */
export const PANELS = [
  'Chat',
  'Tools',
  'JSON',
  'Decide',
  'Transcribe',
  'Read aloud',
  'Search',
  'Your files',
  'Models',
  'Metrics',
  'Check',
] as const;

/** What a page did that nobody wants to see. */
export interface Watched {
  /** Errors in the console and exceptions. */
  problems: string[];
  /** Hosts of all requests, also of workers. */
  hosts: Set<string>;
}

/** Watches all pages, workers and Service Workers of a context. */
export function watch(context: BrowserContext): Watched {
  const watched: Watched = { problems: [], hosts: new Set() };
  context.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http')) watched.hosts.add(host);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') watched.problems.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => watched.problems.push(error.error().message));
  return watched;
}

/** Words of an answer that no test sees the end of. */
export const ENDLESS = 20_000;

/** A model that writes slowly enough to be watched, as a visitor's own addition to the catalog. */
const SLOW_MODEL = {
  id: 'slow',
  task: 'chat',
  backend: 'scripted',
  contextLength: 100_000,
  script: { replies: [{ text: 'word ', repeat: ENDLESS }], tokenDelayMs: 15 },
};

/** An entry of the catalog that a visitor has added. */
type AddedModel = { id: string } & Record<string, unknown>;

/** Opens the playground, and remembers what its load bar said. */
export async function openDemo(
  context: BrowserContext,
  origin: string,
  panel = 'chat',
  added: AddedModel | readonly AddedModel[] = SLOW_MODEL,
): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((model) => {
    localStorage.setItem('inpage-demo-models', JSON.stringify([model].flat()));
    const seen = new Set<string>();
    Object.assign(window, { loadBarTexts: seen });
    new MutationObserver(() => {
      const bar = document.querySelector('.load-bar:has(progress)');
      if (bar?.textContent) seen.add(bar.textContent);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  }, added);
  await page.goto(`${origin}/#${panel}`);
  await page.locator('main[aria-busy=false]').waitFor();
  return page;
}

export function loadBarTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => [...(window as unknown as { loadBarTexts: Set<string> }).loadBarTexts]);
}

/** Writes a message and sends it, by keyboard only, as soon as the answer before it has ended. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor();
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

/** The last answer once its facts are below it: text and facts. */
export async function finishedAnswer(page: Page): Promise<{ text: string; facts: string }> {
  const turn = page.locator('[data-role=assistant]').last();
  const facts = await turn.locator('footer').innerText();
  return { text: await turn.locator('.answer').innerText(), facts };
}
