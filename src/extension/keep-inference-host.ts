/** The background's part: it opens the document that hosts the engine, and sees no request. @module */
import { InferenceError, serializeInferenceError, toInferenceError } from '../core/errors/inference-error.js';
import type { BackgroundAnswer, OpenHostMessage } from './host-protocol.js';
import { requireExtension, type WebExtension } from './web-extension.js';

/** Paths of documents in the extension. */
export interface HostOptions {
  /** The document that calls `startInferenceHost`, e.g. `host.html`. */
  host: string;
}

/** Set in the background. */
let opener: (() => Promise<void>) | undefined;

/**
 * Opens the document that hosts the engine when a context of the extension first connects: an offscreen document, or a frame
 * of the background page where there are none. To be called once, at the top level of the background script.
 * @throws InferenceError `unavailable` outside an extension
 */
export function keepInferenceHost({ host }: HostOptions): void {
  const api = requireExtension();
  const url = api.runtime.getURL(host);
  let opening: Promise<void> | undefined;
  // Browsers refuse a second document while the first is being made.
  opener = () => (opening ??= open(api, url).finally(() => (opening = undefined)));
  api.runtime.onMessage.addListener((message, _sender, answer) => {
    if ((message as Partial<OpenHostMessage> | undefined)?.inpage !== 'open-host') return undefined;
    void openHere().then(answer);
    return true;
  });
}

async function openHere(): Promise<BackgroundAnswer> {
  try {
    await opener?.();
    return {};
  } catch (thrown) {
    return { error: serializeInferenceError(toInferenceError(thrown)) };
  }
}

/** @internal Opens the host, from any context. What the background says to it. */
export async function askToOpenHost({ runtime }: WebExtension): Promise<BackgroundAnswer> {
  if (opener) return openHere();
  const message: OpenHostMessage = { inpage: 'open-host' };
  // Rejects where nobody listens.
  const answer = (await runtime.sendMessage(message).catch(() => undefined)) as BackgroundAnswer | undefined;
  if (answer) return answer;
  throw new InferenceError(
    'unavailable',
    'The background script of this extension does not call `keepInferenceHost()`.',
  );
}

async function open(api: WebExtension, url: string): Promise<void> {
  const { offscreen, runtime } = api;
  if (!offscreen || !runtime.getContexts) return openFrame(url);
  const isOpen = async (): Promise<boolean> => {
    const documents = (await runtime.getContexts?.({ contextTypes: ['OFFSCREEN_DOCUMENT'] })) ?? [];
    if (documents.length === 0) return false;
    if (documents.some(({ documentUrl }) => documentUrl === url)) return true;
    throw new InferenceError(
      'unavailable',
      `An extension has one offscreen document, and another than ${url} is open.`,
    );
  };
  if (await isOpen()) return;
  try {
    const justification = 'Runs the models, in workers that a background script cannot have.';
    await offscreen.createDocument({ url, reasons: ['WORKERS'], justification });
  } catch (thrown) {
    // Another part of the extension may have been faster.
    if (await isOpen()) return;
    throw new InferenceError('unavailable', `The document ${url} cannot be opened.`, {}, { cause: thrown });
  }
}

/** Where the background is a document. */
async function openFrame(url: string): Promise<void> {
  const frames = [...document.querySelectorAll('iframe')];
  if (frames.some(({ src }) => src === url)) return;
  const frame = document.createElement('iframe');
  frame.src = url;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
}
