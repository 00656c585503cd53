// CommonJS, as Jest takes it without a flag of Node.
const { useTestServer, startTestServer } = require('inpage/test-server');
const { ask } = require('../ask.cjs');
const { replaceGlobals, scenario } = require('../scenario.cjs');

const server = useTestServer({ env: true });

test('does what tests do', async () => {
  await scenario(server, expect);
  expect(process.env.OPENAI_BASE_URL).toBe(server.baseURL);
});

test('is not stopped by fake timers', async () => {
  jest.useFakeTimers();
  try {
    await scenario(server, expect);
    const other = await startTestServer();
    other.use({ text: 'Yes.' });
    expect((await ask(other, 'Hi')).text).toContain('Yes.');
    await other.close();
  } finally {
    jest.useRealTimers();
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
