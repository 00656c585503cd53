/** A web page that waits for the person, and the content script that asks. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { bridgePage } from '../../src/extension/bridge-page.js';
import { findBridge } from '../../src/extension/connect-page.js';
import type { FindBridgeMessage, HostHello, PageToBridge } from '../../src/extension/host-protocol.js';
import { PROTOCOL_VERSION } from '../../src/relay/protocol.js';
import { connectedPorts } from './support/runtime-ports.js';

const HELLO: HostHello = { type: 'hello', version: PROTOCOL_VERSION, prefix: '/v1', compatibility: null };

const PING_EVERY_MS = 5_000;

/** What hears the page's messages, as its content script does. */
let listeners: ((event: object) => void)[];

beforeEach(() => {
  listeners = [];
  const location = { origin: 'https://page.example' };
  const window = {
    top: { location },
    postMessage(data: unknown, _target: string, ports: MessagePort[]) {
      for (const listener of listeners) listener({ data, source: window, ports });
    },
  };
  vi.stubGlobal('location', location);
  vi.stubGlobal('document', {});
  vi.stubGlobal('window', window);
  vi.stubGlobal('addEventListener', (_: string, listener: (event: object) => void) => listeners.push(listener));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
});

/** A content script that is there, and does what the test says with all that comes then. */
function contentScript(hear: (message: PageToBridge, port: MessagePort) => void): void {
  listeners.push((event) => {
    const { data, ports } = event as MessageEvent<FindBridgeMessage>;
    const [port] = ports;
    if (data.inpage !== 'find-bridge' || !port) return;
    port.addEventListener('message', (message: MessageEvent<PageToBridge>) => hear(message.data, port));
    port.start();
    port.postMessage({ type: 'bridge' });
  });
}

it('a page waits as long as the person takes, while the content script is there', async () => {
  let allow: (answer: object) => void = () => {};
  const asked = new Promise<void>((resolve) => {
    vi.stubGlobal('chrome', {
      runtime: {
        id: 'extension',
        getURL: () => 'chrome-extension://extension/',
        sendMessage: () => {
          resolve();
          return new Promise((answer) => (allow = answer));
        },
        connect({ name }: { name: string }) {
          const [caller, host] = connectedPorts(name);
          queueMicrotask(() => host.postMessage({ text: JSON.stringify({ message: HELLO, lengths: [] }) }));
          return caller;
        },
      },
    });
  });
  bridgePage();
  const said = vi.spyOn(MessagePort.prototype, 'postMessage');
  onTestFinished(() => said.mockRestore());
  const pings = (): number => said.mock.calls.filter(([message]) => (message as PageToBridge).type === 'ping').length;
  const bridge = findBridge();
  await asked;
  for (let count = 1; count <= 40; count += 1) {
    vi.advanceTimersByTime(PING_EVERY_MS);
    expect(pings()).toBe(count);
    const answers = (): number => said.mock.calls.length - pings();
    const before = answers();
    while (answers() === before) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  allow({ state: 'allowed' });
  expect((await bridge).hello).toEqual(HELLO);
  vi.advanceTimersByTime(10 * PING_EVERY_MS);
  expect(pings()).toBe(40);
});

it('a page does not wait for a content script that answers no more', async () => {
  const asked = new Promise<void>((resolve) => contentScript(({ type }) => type === 'connect' && resolve()));
  const bridge = findBridge();
  await asked;
  vi.advanceTimersByTime(4 * PING_EVERY_MS);
  await expect(bridge).rejects.toMatchObject({ name: 'InferenceError', code: 'unavailable' });
});

it('a page learns at once that the content script is gone, where the browser tells it', async () => {
  contentScript((_, port) => port.close());
  await expect(findBridge()).rejects.toMatchObject({ name: 'InferenceError', code: 'unavailable' });
});
