import { afterEach, expect, it, vi } from 'vitest';
import { createInferenceFetch } from '../../src/page/inference-fetch.js';
import { refuseHere } from '../../src/page/refuse-requests.js';
import { unavailableResponse } from '../../src/relay/stream/request-payload.js';

afterEach(() => vi.restoreAllMocks());

it('an `inference.fetch` that was stopped says why in each answer, and once in the console', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const refusal = { response: ({ url }: { url: string }) => unavailableResponse('hosted', url, '/v1') };
  const stopped = createInferenceFetch(
    { origin: 'https://app.test', prefix: '/v1', intercept: [], compatibility: 'hosted' },
    async () => refuseHere(refusal, 'It was stopped.'),
    async () => new Response('network'),
  );
  for (const path of ['chat/completions', 'messages']) {
    const response = await stopped(`https://app.test/v1/${path}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(503);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-error-code': 'unavailable',
      'x-error-message': 'It was stopped.',
      'x-should-retry': 'false',
    });
    expect(response.headers.has('retry-after')).toBe(false);
    expect(await response.json()).toHaveProperty('error');
  }
  expect(warned.mock.calls).toEqual([['inpage: It was stopped.']]);
});
