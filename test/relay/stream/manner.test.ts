import { expect, it } from 'vitest';
import { resolveCompatibility, toRequestPayload } from '../../../src/relay/stream/request-payload.js';

const OWN = 'https://app.test/v1/models';

it('a request to a base of another origin is answered as hosted unless the app says otherwise', async () => {
  const own = await toRequestPayload(new Request(OWN));
  const other = await toRequestPayload(new Request('https://api.openai.com/v1/models'), OWN);
  const below = await toRequestPayload(new Request('https://app.test/api/v1/models'), OWN);
  expect([own, other, below].map(({ intercepted }) => intercepted)).toEqual([false, true, false]);
  const manners = [own, other].map(({ intercepted }) => resolveCompatibility(undefined, intercepted));
  expect(manners).toEqual(['service', 'hosted']);
  for (const asked of ['service', 'hosted'] as const) {
    expect([resolveCompatibility(asked, true), resolveCompatibility(asked, false)]).toEqual([asked, asked]);
  }
});
