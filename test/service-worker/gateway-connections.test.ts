import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectThrough } from '../../src/relay/handshake.js';
import { PROTOCOL_VERSION } from '../../src/relay/protocol.js';
import type { Connect } from '../../src/relay/handshake.js';
import { relayRequest } from '../../src/relay/stream/relay-request.js';
import { serveCall } from '../../src/service/serve-call.js';
import { GatewayConnections } from '../../src/service-worker/gateway-connections.js';
import { passTimeUntil, stopTime } from '../support/pass-time.js';

const handlers = {
  request: (request: Request) => new Response(`served ${new URL(request.url).pathname}`),
  control: () => {},
};
const never = new AbortController().signal;

/** The long way to a gateway of this process; counts how often it was taken. It takes so many milliseconds. */
function gateway(lifeline: string | undefined, delay = 0): { find: Connect; found: () => number } {
  let found = 0;
  const find: Connect = async (signal) => {
    found += 1;
    await new Promise((resolve) => setTimeout(resolve, delay));
    const { port, hello } = await connectThrough((end) => void serveCall(end, handlers), signal);
    return { port, hello: { ...hello, lifeline } };
  };
  return { find, found: () => found };
}

async function ask(connections: GatewayConnections, find: Connect, path: string): Promise<string> {
  const payload = { url: `http://localhost${path}`, method: 'GET', headers: [], body: undefined };
  const connect: Connect = (signal, isFresh) => connections.connect('tab', find, signal, isFresh);
  const answer = async (): Promise<string> =>
    (await relayRequest(payload, connect, { signal: never, compatibility: 'service', prefix: '/v1' })).text();
  return passTimeUntil(answer());
}

/** A gateway that only listens: the lines that branch off from a call's port, and what is said on each. */
function listeningGateway(): { find: Connect; lines: string[][] } {
  const lines: string[][] = [];
  const find: Connect = async () => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ ports: [line] }) => {
      const said: string[] = [];
      lines.push(said);
      if (line) line.onmessage = (event: MessageEvent<{ type: string }>) => said.push(event.data.type);
    };
    return { port: port1, hello: { type: 'hello', version: PROTOCOL_VERSION, lifeline: 'a-lock' } };
  };
  return { find, lines };
}

const laid = () => passTimeUntil(new Promise((resolve) => setTimeout(resolve, 20)));

/** Two ports to a gateway of this process, each of which a request has used. */
async function usedPorts(connections: GatewayConnections, find: Connect): Promise<void> {
  await ask(connections, find, '/1');
  await laid();
  await Promise.all([ask(connections, find, '/2'), ask(connections, find, '/3')]);
}

// Nobody takes a stall of this machine for a line that is silent.
beforeEach(stopTime);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('GatewayConnections', () => {
  it('looks for the gateway once and then goes straight to it', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway('a-lock');
    expect(await ask(connections, find, '/1')).toBe('served /1');
    await laid();
    const before = found();
    expect(await Promise.all([ask(connections, find, '/2'), ask(connections, find, '/3')])).toEqual([
      'served /2',
      'served /3',
    ]);
    expect(found()).toBe(before);
  });

  it('does so also where finding it takes long, as for a page without Inpage', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway('a-lock', 400);
    await ask(connections, find, '/1');
    await laid();
    expect(await ask(connections, find, '/2')).toBe('served /2');
    expect(found()).toBe(1);
  });

  it('lays one line per tab, and hangs it up when the tab starts anew', async () => {
    const connections = new GatewayConnections();
    const { find, lines } = listeningGateway();
    await passTimeUntil(Promise.all([1, 2, 3].map(() => connections.connect('tab', find, never))));
    await laid();
    await expect.poll(() => lines).toEqual([[]]);
    connections.forget('tab');
    await laid();
    await expect.poll(() => lines).toEqual([['cancel']]);
    await passTimeUntil(connections.connect('tab', find, never));
    await laid();
    await expect.poll(() => lines).toEqual([['cancel'], []]);
    connections.forget('tab');
  });

  it('hangs up a line that is silent', async () => {
    const connections = new GatewayConnections();
    const { find, lines } = listeningGateway();
    await passTimeUntil(connections.connect('tab', find, never));
    await passTimeUntil(connections.connect('tab', find, never));
    await laid();
    await expect.poll(() => lines).toEqual([['call', 'cancel'], []]);
    connections.forget('tab');
  });

  it('remembers nothing of a gateway whose death nobody would tell', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway(undefined);
    await ask(connections, find, '/1');
    await laid();
    const before = found();
    await ask(connections, find, '/2');
    expect(found()).toBeGreaterThan(before);
  });

  it('takes the long way again when the line is silent, and when the tab starts anew', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway('a-lock');
    await passTimeUntil(connections.connect('tab', listeningGateway().find, never));
    await laid();
    expect(await ask(connections, find, '/1')).toBe('served /1');
    const before = found();
    connections.forget('tab');
    await ask(connections, find, '/2');
    expect(found()).toBeGreaterThan(before);
  });

  it('uses a port again when its call has ended, without a new one', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway('a-lock');
    await usedPorts(connections, find);
    const before = found();
    const channels = vi.spyOn(globalThis, 'MessageChannel');
    for (const path of ['/4', '/5', '/6']) expect(await ask(connections, find, path)).toBe(`served ${path}`);
    expect([channels.mock.calls.length, found()]).toEqual([0, before]);
  });

  it('takes the long way when the gateway behind used ports is silent', async () => {
    const connections = new GatewayConnections();
    const { find, found } = gateway('a-lock');
    let isSilent = false;
    const findAnother: Connect = (signal) => {
      isSilent = false;
      return find(signal);
    };
    await usedPorts(connections, findAnother);
    const before = found();
    const post = MessagePort.prototype.postMessage;
    const said: string[] = [];
    vi.spyOn(MessagePort.prototype, 'postMessage').mockImplementation(function posted(
      this: MessagePort,
      message,
      list,
    ) {
      const { type } = message as { type: string };
      said.push(type);
      // As if the gateway's thread stood still.
      if (!isSilent || /open|call|cancel/.test(type)) post.call(this, message, list as StructuredSerializeOptions);
    });
    isSilent = true;
    expect(await ask(connections, findAnother, '/4')).toBe('served /4');
    expect(found()).toBe(before + 1);
    // Through a used port, then the line; then a new line is laid to the gateway that was found, which is asked.
    expect(said.filter((type) => /open|call/.test(type))).toEqual(['open', 'call', 'call', 'open']);
  });

  it('closes what waits for calls when the tab starts anew', async () => {
    const connections = new GatewayConnections();
    const { find } = gateway('a-lock');
    await usedPorts(connections, find);
    const closed = vi.spyOn(MessagePort.prototype, 'close');
    connections.forget('tab');
    // The line, and the two ports.
    expect(closed).toHaveBeenCalledTimes(3);
  });
});
