import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import { openHost } from '../../e2e/support/host-page.js';
import { withContexts } from '../../e2e/support/shared-chromium.js';
import { plainAnswer, type RawAnswer } from './support/plain-answer.js';
import { SAME_MODELS, type SameRequest, sameRequests } from './support/same-requests.js';

const { startTestServer } = (await import(
  join(import.meta.dirname, '../../../dist/test-server.js')
)) as typeof import('../../../src/testing/test-server/index.js');

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

it.each(['service', 'hosted'] as const)('[Y04] page and test server answer alike, as %s', async (compatibility) => {
  const options = { models: SAME_MODELS, compatibility };
  const requests = await sameRequests();
  expect(requests.length).toBeGreaterThanOrEqual(60);
  await using server = await startTestServer(options);
  const page = await openHost(context, options);
  const expected: Record<string, unknown> = {};
  const answers: Record<string, unknown> = {};
  for (const request of requests) {
    expected[request.name] = plainAnswer(await askPage(page, request));
    answers[request.name] = plainAnswer(await askServer(server.baseURL, request));
  }
  expect(answers).toEqual(expected);
});

function askPage(page: Page, request: SameRequest): Promise<RawAnswer> {
  return page.evaluate(async ({ path, method, headers, base64 }) => {
    const body = base64 === undefined ? null : await (await fetch(`data:;base64,${base64}`)).arrayBuffer();
    const inference = window.inference!;
    const response = await inference.fetch(inference.baseURL + path, { method, headers, body });
    let letters = '';
    for (const byte of new Uint8Array(await response.arrayBuffer())) letters += String.fromCharCode(byte);
    return { status: response.status, headers: [...response.headers], base64: btoa(letters) };
  }, request);
}

async function askServer(baseURL: string, { path, method, headers, base64 }: SameRequest): Promise<RawAnswer> {
  const body = base64 === undefined ? null : Buffer.from(base64, 'base64');
  const response = await fetch(baseURL + path, { method, headers, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], base64: bytes.toString('base64') };
}
