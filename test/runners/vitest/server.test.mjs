import { startTestServer, useTestServer } from 'inpage/test-server';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ask } from '../ask.cjs';
import { replaceGlobals, scenario } from '../scenario.cjs';

const server = useTestServer({}, { beforeAll, afterEach, afterAll });

test('does what tests do', async () => {
  await scenario(server, expect);
  expect(server.requests).toHaveLength(0);
});

test('is not stopped by fake timers', async () => {
  vi.useFakeTimers();
  try {
    await scenario(server, expect);
    const other = await startTestServer();
    other.use({ text: 'Yes.' });
    expect((await ask(other, 'Hi')).text).toContain('Yes.');
    await other.close();
  } finally {
    vi.useRealTimers();
  }
});

test('is not changed by what a test replaces', async () => {
  const restore = replaceGlobals();
  try {
    await scenario(server, expect);
    const other = await startTestServer({ now: 'real' });
    other.use({ text: 'Yes.' });
    expect(JSON.parse((await ask(other, 'Hi')).text).created).toBeGreaterThan(1_700_000_000);
    await other.close();
  } finally {
    restore();
  }
});
