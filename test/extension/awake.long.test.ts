/** Backgrounds that the browser would end as idle. Nothing is attached to Chromium: what looks into a worker keeps it awake. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { expect, it } from 'vitest';
import { findInstalledFirefox } from '../browsers/firefox.js';
import { startProgram } from '../browsers/web-driver.js';
import { wholeBrowser } from '../support/chromium.js';
import { makeExtension } from './support/make-extension.js';
import { extensionArguments } from './support/open-extension.js';
import { openInFirefox } from './support/open-in-firefox.js';
import { serveWebPages } from './support/web-server.js';

/** Longer than the browser lets a worker live that hears nothing. */
const SILENCE_MS = 45_000;

it('[Z07] a request of the background is answered, however long the model is silent', async () => {
  const reports: string[] = [];
  const server = createServer((request, response) => {
    let report = '';
    request.setEncoding('utf8').on('data', (text: string) => (report += text));
    request.on('end', () => {
      response.end();
      reports.push(report);
      if (report !== 'began') server.emit('answered');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const profile = mkdtempSync(join(tmpdir(), 'inpage-awake-'));
  const folder = join(profile, 'extension');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await makeExtension(folder, {
    host: `{ models: [{
      id: 'silent', task: 'chat', backend: 'scripted', script: { tokenDelayMs: ${SILENCE_MS}, replies: [{ text: 'Paris' }] },
    }] }`,
    background: `
      const report = (body) => fetch('${url}', { method: 'POST', mode: 'no-cors', body });
      const ask = async () => {
        await report('began');
        const { fetch, baseURL } = await extension.connectInference();
        const body = JSON.stringify({ model: 'silent', messages: [{ role: 'user', content: 'Hi' }] });
        const answer = await fetch(baseURL + '/chat/completions', { method: 'POST', body });
        await report(answer.status + ' ' + (await answer.text()));
      };
      ask().catch((thrown) => report(String(thrown)));`,
  });
  const browser = startProgram(wholeBrowser ?? chromium.executablePath(), [
    ...extensionArguments(folder),
    `--user-data-dir=${join(profile, 'profile')}`,
  ]);
  try {
    await once(server, 'answered', { signal: AbortSignal.timeout(3 * SILENCE_MS) });
    expect(reports).toEqual(['began', expect.stringMatching(/^200 .*"Paris"/)]);
  } finally {
    browser.end();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
});

it.skipIf(!findInstalledFirefox())(
  '[Z23] Firefox does not end the background page, in which the host is, while the model is silent',
  async () => {
    const idleMs = 15_000;
    const extension = await openInFirefox(
      findInstalledFirefox()!,
      {
        host: `{ models: [{
          id: 'silent', task: 'chat', backend: 'scripted', script: { tokenDelayMs: ${2 * idleMs}, replies: [{ text: 'Paris' }] },
        }] }`,
      },
      { 'extensions.background.idle.timeout': idleMs },
    );
    const server = await serveWebPages(extension);
    try {
      const { content } = await extension.openWebPage(server.originAt('127.0.0.1'));
      expect((await content('connect')).error).toBeUndefined();
      const body = JSON.stringify({ model: 'silent', messages: [{ role: 'user', content: 'Hi' }] });
      const { result } = await content('ask', { path: '/chat/completions', init: { method: 'POST', body } });
      expect(result).toMatchObject({ status: 200, body: expect.stringContaining('Paris') as string });
    } finally {
      await extension.close();
      server.close();
    }
  },
);
