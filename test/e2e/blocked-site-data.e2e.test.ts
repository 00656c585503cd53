/** A visitor who blocks site data (cookies): the browser has locks, storage and Service Workers, and refuses each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM_ARGUMENTS, wholeBrowser } from '../support/chromium.js';
import { openHost } from './support/host-page.js';

const BLOCKED = { profile: { default_content_setting_values: { cookies: 2 } } };

let context: BrowserContext;
const profile = mkdtempSync(join(tmpdir(), 'inpage-blocked-'));
beforeAll(async () => {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(BLOCKED));
  context = await chromium.launchPersistentContext(profile, {
    ...(wholeBrowser && { executablePath: wholeBrowser }),
    headless: false,
    args: ['--headless=new', ...CHROMIUM_ARGUMENTS],
  });
});
afterAll(async () => {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
});

it('the Service Worker that is refused is a typed error that says what to do', async () => {
  await expect(openHost(context, {})).rejects.toThrow(/site data .*serviceWorker: false/);
});

it('without a Service Worker models are loaded, and kept in memory', async () => {
  const page = await openHost(context, { serviceWorker: false });
  expect(await page.evaluate(() => navigator.locks.query().catch(({ name }: Error) => name))).toBe('SecurityError');
  const [status, text] = await page.evaluate(async () => {
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    const body = JSON.stringify({ model: 'tiny-chat', messages });
    const response = await window.inference!.fetch('/v1/chat/completions', { method: 'POST', body });
    return [response.status, await response.text()] as const;
  });
  expect([status, text]).toEqual([200, expect.stringContaining('Paris')]);
  expect(await page.evaluate(() => window.inference!.stored())).toEqual([]);
});
