import assert from 'node:assert/strict';
import { after, afterEach, before, mock, test } from 'node:test';
import { startTestServer, useTestServer } from 'inpage/test-server';
import { ask } from '../ask.cjs';
import { replaceGlobals, scenario } from '../scenario.cjs';

const server = useTestServer({}, { before, afterEach, after });

/** As much of `expect` as the scenario needs. */
const expect = (value) => ({
  toBe: (other) => assert.equal(value, other),
  toContain: (part) => assert.ok(value.includes(part)),
  toHaveLength: (length) => assert.equal(value.length, length),
  toBeGreaterThan: (least) => assert.ok(value > least),
  toMatchObject: (part) => assertPart(value, part),
  toThrow: (message) => assert.throws(value, message),
  rejects: { toThrow: (text) => assert.rejects(value, ({ message }) => message.includes(text)) },
});

function assertPart(value, part) {
  if (typeof part !== 'object') return assert.equal(value, part);
  for (const [name, each] of Object.entries(part)) assertPart(value[name], each);
}

void test('does what tests do', () => scenario(server, expect));

void test('is not stopped by fake timers', async () => {
  mock.timers.enable();
  try {
    await scenario(server, expect);
    const other = await startTestServer();
    other.use({ text: 'Yes.' });
    expect((await ask(other, 'Hi')).text).toContain('Yes.');
    await other.close();
  } finally {
    mock.timers.reset();
  }
});

void test('is not changed by what a test replaces', async () => {
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
