/** `bridgePage`: the content script's part for web pages that ask for the models. @module */
import {
  deserializeInferenceError,
  InferenceError,
  serializeInferenceError,
  toInferenceError,
} from '../core/errors/inference-error.js';
import type {
  AskConsentMessage,
  BridgeToPage,
  ConsentAnswer,
  FindBridgeMessage,
  PageToBridge,
} from './host-protocol.js';
import { joinPorts } from './join-ports.js';
import { notAllowed } from './judge-origin.js';
import { askBackground } from './keep-inference-host.js';
import { hostService, reachStartedHost } from './reach-host.js';
import { requireExtension } from './web-extension.js';

/**
 * Lets the web page that this content script runs in ask for the models, by its own `connectInference()`. Does nothing until the
 * page calls that.
 * @throws InferenceError `unavailable` outside an extension
 */
export function bridgePage(): void {
  requireExtension();
  addEventListener('message', ({ data, source, ports: [port] }: MessageEvent<FindBridgeMessage | undefined>) => {
    if (source !== window || data?.inpage !== 'find-bridge' || !port) return;
    serve(port);
    say(port, { type: 'bridge' });
  });
}

function say(port: MessagePort, message: BridgeToPage): void {
  port.postMessage(message);
}

/** Answers what comes through the port of one `connectInference`. */
function serve(port: MessagePort): void {
  port.addEventListener('message', ({ data, ports: [call] }: MessageEvent<PageToBridge>) => {
    if (data.type === 'ping') return say(port, { type: 'bridge' });
    const answered = data.type === 'call' && call ? passOn(call) : connect(port);
    answered.catch((thrown: unknown) =>
      say(call ?? port, { type: 'error', error: serializeInferenceError(toInferenceError(thrown)) }),
    );
  });
  port.start();
}

async function connect(port: MessagePort): Promise<void> {
  await askPerson();
  say(port, await hostService(new AbortController().signal, 'page'));
}

/** One request of the page. The host refuses it where the page may not ask. */
async function passOn(call: MessagePort): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  call.addEventListener('close', leave);
  const { port, hello } = await reachStartedHost('page', left.signal);
  call.removeEventListener('close', leave);
  joinPorts(call, port, { outward: (message) => message });
  say(call, hello);
}

/** Resolves when the person allows it, or did so before. @throws InferenceError `permission_denied`, `unavailable` */
async function askPerson(): Promise<void> {
  const isForeignFrame = isInForeignPage();
  const { navigator: own }: { navigator?: Navigator } = globalThis;
  const hasGesture = own?.userActivation?.isActive ?? true;
  for (let again = false; ; again = true) {
    const message: AskConsentMessage = { inpage: 'ask-consent', again, isForeignFrame, hasGesture };
    const { error, state } = await askBackground<ConsentAnswer>(requireExtension(), message);
    if (error) throw deserializeInferenceError(error);
    if (state === 'allowed') return;
    if (state === 'closed') throw new InferenceError('permission_denied', CLOSED);
    if (state !== 'pending') throw notAllowed();
  }
}

const CLOSED = 'The question whether this page may use the models was closed without an answer.';

/** A page's scripts cannot change what content scripts read here. */
function isInForeignPage(): boolean {
  try {
    return window.top?.location.origin !== location.origin;
  } catch {
    return true;
  }
}
