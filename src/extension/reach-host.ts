/** How a context finds the document that hosts the engine, and has it opened. @module */
import { deserializeInferenceError, InferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { closeCallPort } from '../relay/handshake.js';
import type { CalleeMessage } from '../relay/protocol.js';
import { HOST_PORTS, type HostHello, type HostPortKind } from './host-protocol.js';
import { askToOpenHost } from './keep-inference-host.js';
import { requireExtension } from './web-extension.js';
import { WirePort } from './wire-port.js';

/** Milliseconds until a connection on which no one speaks counts as one that another part of the extension has taken. */
const SILENCE_MS = 2_000;

/** Milliseconds between two attempts. */
const RETRY_DELAY_MS = 100;

/** A connection to the host. */
export interface HostConnection {
  port: WirePort;
  hello: HostHello;
}

/**
 * Connects to the host, wherever it is now, and has it opened where there is none. Tries until the signal aborts.
 * @throws InferenceError of the host that could not start, or `unavailable`
 */
export async function reachHost(kind: HostPortKind, signal: AbortSignal): Promise<HostConnection> {
  for (;;) {
    const reached = await reachOpenHost(kind, signal);
    if (reached) return reached;
    const { error } = await orAborted(askToOpenHost(requireExtension()), signal);
    if (error) throw deserializeInferenceError(error);
    await pause(RETRY_DELAY_MS, signal);
  }
}

/** The same where the host is open; undefined: it is not. @throws InferenceError like {@link reachHost} */
export async function reachOpenHost(kind: HostPortKind, signal: AbortSignal): Promise<HostConnection | undefined> {
  signal.throwIfAborted();
  const { runtime } = requireExtension();
  const port = new WirePort(runtime.connect({ name: HOST_PORTS[kind] }));
  if (kind !== 'status') port.keepAwake();
  try {
    const hello = await orAborted(awaitHello(port), signal);
    return hello && { port, hello };
  } catch (thrown) {
    closeCallPort(port);
    throw thrown;
  }
}

/** Undefined: no one is there. */
function awaitHello(port: WirePort): Promise<HostHello | undefined> {
  return new Promise((resolve, reject) => {
    const settled = new AbortController();
    const { signal } = settled;
    signal.addEventListener('abort', () => clearTimeout(silence));
    const settle = (hello?: HostHello): void => {
      settled.abort();
      resolve(hello);
    };
    const silence = setTimeout(() => {
      port.close();
      settle();
    }, SILENCE_MS);
    port.addEventListener('close', () => settle(), { signal });
    port.addEventListener(
      'message',
      (event) => {
        const { data } = event as MessageEvent<CalleeMessage<never> | HostHello>;
        // It is starting.
        clearTimeout(silence);
        if (data.type === 'error') {
          settled.abort();
          reject(deserializeInferenceError(data.error));
        } else if (data.type === 'hello' && 'prefix' in data) settle(data);
      },
      { signal },
    );
  });
}

/** Milliseconds until the host must have started: more than it gives itself. */
const HOST_START_TIMEOUT_MS = 45_000;

/** {@link reachHost}, within the time that a host has to start. @throws InferenceError of the host, or `unavailable` */
export async function reachStartedHost(kind: HostPortKind, signal: AbortSignal): Promise<HostConnection> {
  const deadline = AbortSignal.timeout(HOST_START_TIMEOUT_MS);
  try {
    return await reachHost(kind, AbortSignal.any([signal, deadline]));
  } catch (thrown) {
    if (signal.aborted || !deadline.aborted) throw thrown;
    throw new InferenceError('unavailable', 'The document that hosts inference did not start in time.', {
      retryAfter: 5,
    });
  }
}

/** What the host says of its service, once it has started. @throws InferenceError like {@link reachStartedHost} */
export async function hostService(signal: AbortSignal, kind: HostPortKind = 'request'): Promise<HostHello> {
  const { port, hello } = await reachStartedHost(kind, signal);
  closeCallPort(port);
  return hello;
}
