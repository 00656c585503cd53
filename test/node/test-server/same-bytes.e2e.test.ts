import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { expect, it } from 'vitest';
import { openHost } from '../../e2e/support/host-page.js';
import { withContexts } from '../../e2e/support/shared-chromium.js';
import { SAME_MODELS, type SameRequest, sameRequests } from './support/same-requests.js';

const { startTestServer } = (await import(
  join(import.meta.dirname, '../../../dist/test-server.js')
)) as typeof import('../../../src/node/test-server/index.js');

/** An answer as it came. */
interface RawAnswer {
  status: number;
  headers: [string, string][];
  base64: string;
}

/** Of Node's HTTP, not of the service. */
const OF_TRANSPORT = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/** Counts what was asked in the last minute, which passes in the page only. */
const OF_A_MINUTE = 'x-ratelimit-remaining-requests';

/** Ids and times, in all forms in which the service writes them. */
const CHANGING: [pattern: RegExp, instead: string][] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<id>'],
  [/\b(call|chatcmpl|cmpl|fc|item|msg|resp|rs|toolu)_[\w-]+/g, '$1_<id>'],
  [/"(created|created_at|completed_at|\w+_duration)":\d+/g, '"$1":"<time>"'],
  // How quickly it went; absent where the clock stood still.
  [/,"(\w+_per_sec\w*|time_to_first_token\w*|total_latency|start_time|end_time)":[\d.e-]+/g, ''],
  // Unix seconds.
  [/\b1[78]\d{8}\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
];

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
    expected[request.name] = plain(await askPage(page, request));
    answers[request.name] = plain(await askServer(server.baseURL, request));
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

/** What two runs have in common: sound as it is, texts without ids and times. */
function plain({ status, headers, base64 }: RawAnswer): unknown {
  const sent = headers
    .filter(([name]) => !OF_TRANSPORT.has(name))
    .map(([name, value]) => [name, name === OF_A_MINUTE ? '<count>' : withoutIds(value)]);
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const body = type.startsWith('audio/') ? base64 : withoutIds(Buffer.from(base64, 'base64').toString('utf8'));
  return { status, headers: Object.fromEntries(sent) as unknown, body };
}

function withoutIds(text: string): string {
  return CHANGING.reduce((changed, [pattern, instead]) => changed.replace(pattern, instead), text);
}
