/** Contexts that do not read what they have asked for. */
import { expect, it, vi } from 'vitest';
import { PageRequests } from '../../src/extension/host/serve-page.js';
import { serveRequest } from '../../src/extension/host/serve-request.js';
import type { HostHello } from '../../src/extension/host-protocol.js';
import { WirePort } from '../../src/extension/wire-port.js';
import { serveCall } from '../../src/service/serve-call.js';
import { type Connect, connectThrough } from '../../src/relay/handshake.js';
import { PROTOCOL_VERSION, type RequestPayload } from '../../src/relay/protocol.js';
import { relayRequest } from '../../src/relay/stream/relay-request.js';
import { streamedResponse } from '../support/streamed-response.js';
import { connectedPorts } from './support/runtime-ports.js';

vi.mock('../../src/extension/consent-store.js', () => ({
  readDecision: () => Promise.resolve(true),
  watchDecisions: () => {},
}));

const MOST_AHEAD = 2 ** 20;
const HELLO: HostHello = { type: 'hello', version: PROTOCOL_VERSION, prefix: '/v1', compatibility: null };

/** A gateway whose answers are numbered events of so many bytes. */
function numbered(eventBytes: number, count: number) {
  const made = { events: 0 };
  const event = (): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(`data: ${made.events++} `.padEnd(eventBytes - 2, '.') + '\n\n');
  const body = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
    new ReadableStream(
      { pull: (controller) => (made.events < count ? controller.enqueue(event()) : controller.close()) },
      { highWaterMark: 0 },
    );
  return { made, body };
}

const CONTEXTS: [name: string, serve: (port: WirePort, gateway: Connect) => Promise<void>][] = [
  ['a context of the extension', (port, gateway) => serveRequest(port, gateway, HELLO)],
  [
    'a web page',
    (port, gateway) => {
      port.postMessage(HELLO);
      return new PageRequests().serve(port, 'https://page.example', gateway);
    },
  ],
];

it.each(CONTEXTS.flatMap(([name, serve]) => [200, 3_000, 6_000].map((bytes) => [name, bytes, serve] as const)))(
  '%s that does not read is ahead by at most 1 MiB, and loses nothing: events of %s bytes',
  async (_, eventBytes, serve) => {
    const count = Math.ceil((3 * MOST_AHEAD) / eventBytes);
    const { made, body } = numbered(eventBytes, count);
    const request = (): Response => streamedResponse(body());
    const handlers = { request, control: () => {} };
    const gateway: Connect = (signal) => connectThrough((port) => void serveCall(port, handlers), signal);
    const connect: Connect = async () => {
      const [here, there] = connectedPorts();
      const port = new WirePort(here);
      const ready = new Promise((resolve) => port.addEventListener('message', resolve, { once: true }));
      void serve(new WirePort(there), gateway);
      await ready;
      return { port, hello: HELLO };
    };
    const payload: RequestPayload = {
      url: 'https://inpage.invalid/v1/chat/completions',
      method: 'POST',
      headers: [],
      body: undefined,
    };
    const { signal } = new AbortController();
    const response = await relayRequest(payload, connect, { signal, compatibility: null, prefix: '/v1' });
    // It stands still.
    let seen = -1;
    while (made.events === 0 || made.events !== seen) {
      seen = made.events;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(seen).toBeLessThan(count);
    expect(seen * eventBytes).toBeLessThanOrEqual(MOST_AHEAD);
    const events = (await response.text()).split('\n\n').slice(0, -1);
    expect(events.map((text) => Number(text.split(' ')[1]))).toEqual(
      Array.from({ length: count }, (_unused, at) => at),
    );
  },
);
