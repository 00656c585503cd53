/** `connectInference` in a web page: through the content script of an extension that has one. @module */
import { deserializeInferenceError, InferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { closeCallPort, type GatewayPort } from '../relay/handshake.js';
import { PROTOCOL_VERSION } from '../relay/protocol.js';
import type { BridgeToPage, FindBridgeMessage, HostHello, PageToBridge } from './host-protocol.js';

/** Milliseconds until a content script must have answered, and between attempts: it may be loaded after the page's scripts. */
const BRIDGE_TIMEOUT_MS = 3_500;
const RETRY_DELAY_MS = 200;

/**
 * Milliseconds between two questions whether the content script is still there, and how many it may leave unanswered. It runs in the
 * page's own thread: what suspends the one suspends the other.
 */
const PING_EVERY_MS = 5_000;
const MAX_UNANSWERED = 3;

/** The content script, which the person allows to answer this page. */
export interface Bridge {
  hello: HostHello;
  /** Like a {@link Connect}. */
  connect(signal: AbortSignal): Promise<GatewayPort>;
}

/**
 * Finds the content script and has the person asked.
 * @throws InferenceError `permission_denied`; `unavailable`: no extension answers, or it answers no pages
 */
export async function findBridge(): Promise<Bridge> {
  const port = await findPort();
  const say = (message: PageToBridge, transfer: Transferable[] = []): void => port.postMessage(message, transfer);
  const connected = awaitHello(port);
  say({ type: 'connect' });
  return {
    hello: await whileAnswered(connected, port),
    async connect(signal) {
      const { port1, port2 } = new MessageChannel();
      const reached = awaitHello(port1);
      say({ type: 'call' }, [port2]);
      try {
        return { port: port1, hello: await orAborted(reached, signal) };
      } catch (thrown) {
        closeCallPort(port1);
        throw thrown;
      }
    },
  };
}

/** The result, for which a person may take as long as they like. @throws InferenceError `unavailable`: the content script is gone */
async function whileAnswered<Result>(result: Promise<Result>, port: MessagePort): Promise<Result> {
  const settled = new AbortController();
  const { signal } = settled;
  const lost = new Promise<never>((_, reject) => {
    const lose = (): void => reject(new InferenceError('unavailable', 'The extension does not answer any more.'));
    let unanswered = 0;
    port.addEventListener('message', () => (unanswered = 0), { signal });
    // Not every browser tells one end of a MessagePort that the other is closed.
    port.addEventListener('close', lose, { signal });
    const timer = setInterval(() => {
      if (unanswered === MAX_UNANSWERED) return lose();
      unanswered += 1;
      const ping: PageToBridge = { type: 'ping' };
      port.postMessage(ping);
    }, PING_EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  });
  try {
    return await Promise.race([result, lost]);
  } catch (thrown) {
    port.close();
    throw thrown;
  } finally {
    settled.abort();
  }
}

/** The port at whose other end a content script is. */
async function findPort(): Promise<MessagePort> {
  const found = new AbortController();
  const { signal } = found;
  if (typeof document !== 'undefined') {
    const end = performance.now() + BRIDGE_TIMEOUT_MS;
    while (performance.now() < end && !signal.aborted) {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => found.abort(port1), { once: true });
      port1.start();
      const message: FindBridgeMessage = { inpage: 'find-bridge' };
      window.postMessage(message, '*', [port2]);
      await pause(RETRY_DELAY_MS, signal);
    }
  }
  if (signal.aborted) return signal.reason as MessagePort;
  throw new InferenceError('unavailable', 'No extension offers its models to this page.');
}

function awaitHello(port: MessagePort): Promise<HostHello> {
  return new Promise((resolve, reject) => {
    port.addEventListener('message', function listen({ data }: MessageEvent<BridgeToPage>) {
      if (data.type === 'bridge') return;
      port.removeEventListener('message', listen);
      if (data.type === 'error') reject(deserializeInferenceError(data.error));
      else if (data.version === PROTOCOL_VERSION) resolve(data);
      else reject(new InferenceError('unavailable', 'The extension has another version of the library.'));
    });
    port.start();
  });
}
