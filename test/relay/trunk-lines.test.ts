import { describe, expect, it } from 'vitest';
import { connectThrough } from '../../src/relay/greeting.js';
import type { Connect } from '../../src/relay/relay-request.js';
import { relayRequest } from '../../src/relay/relay-request.js';
import { serveCall } from '../../src/relay/serve-call.js';
import { TrunkLines } from '../../src/relay/trunk-lines.js';

const handlers = {
  request: (request: Request) => new Response(`served ${new URL(request.url).pathname}`),
  control: async function* () {},
};
const never = new AbortController().signal;

/** The long way to a gateway of this process; counts how often it was taken. */
function gateway(lifeline: string | undefined): { find: Connect; found: () => number } {
  let found = 0;
  const find: Connect = async (signal) => {
    found += 1;
    const { port, hello } = await connectThrough((end) => void serveCall(end, handlers), signal);
    return { port, hello: { ...hello, lifeline } };
  };
  return { find, found: () => found };
}

async function ask(trunks: TrunkLines, find: Connect, path: string): Promise<string> {
  const payload = { url: `http://localhost${path}`, method: 'GET', headers: [], body: undefined };
  const response = await relayRequest(payload, (signal) => trunks.connect('tab', find, signal), never);
  return response.text();
}

const laid = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('TrunkLines', () => {
  it('looks for the gateway once and then goes straight to it', async () => {
    const trunks = new TrunkLines();
    const { find, found } = gateway('a-lock');
    expect(await ask(trunks, find, '/1')).toBe('served /1');
    await laid();
    const before = found();
    expect(await Promise.all([ask(trunks, find, '/2'), ask(trunks, find, '/3')])).toEqual(['served /2', 'served /3']);
    expect(found()).toBe(before);
  });

  it('remembers nothing of a gateway whose death nobody would tell', async () => {
    const trunks = new TrunkLines();
    const { find, found } = gateway(undefined);
    await ask(trunks, find, '/1');
    await laid();
    const before = found();
    await ask(trunks, find, '/2');
    expect(found()).toBeGreaterThan(before);
  });

  it('takes the long way again when the line is silent, and when the tab starts anew', async () => {
    const trunks = new TrunkLines();
    const { find, found } = gateway('a-lock');
    const silent: Connect = async () => ({
      port: new MessageChannel().port1,
      hello: { type: 'hello', version: 1, lifeline: 'a-lock' },
    });
    await trunks.connect('tab', silent, never);
    await laid();
    expect(await ask(trunks, find, '/1')).toBe('served /1');
    const before = found();
    trunks.forget('tab');
    await ask(trunks, find, '/2');
    expect(found()).toBeGreaterThan(before);
  });
});
