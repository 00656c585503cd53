/** The background's part: it opens the document that hosts the engine, and sees no request. @module */
import { InferenceError, serializeInferenceError, toInferenceError } from '../core/errors/inference-error.js';
import { ConsentKeeper } from './ask-person.js';
import type { AskConsentMessage, BackgroundAnswer, ConsentAnswer, OpenHostMessage } from './host-protocol.js';
import { requireExtension, type Sender, type WebExtension } from './web-extension.js';

/** Paths of documents in the extension. */
export interface HostOptions {
  /**
   * The document that calls `startInferenceHost`, e.g. `host.html`.
   * @example
   * keepInferenceHost({ host: 'host.html' });
   */
  host: string;
  /**
   * The page that asks the person whether a web page may use the models: see `consentRequest`. Needs the permission `storage`.
   * Default: no web page may.
   * @example
   * keepInferenceHost({ host: 'host.html', consent: 'consent.html' });
   */
  consent?: string;
}

const MAX_ATTEMPTS = 2;

/** Set in the background. */
let opener: (() => Promise<void>) | undefined;

/**
 * Opens the document that hosts the engine when a context of the extension first connects: an offscreen document, or a frame
 * of the background page where there are none. To be called once, at the top level of the background script.
 * @throws InferenceError `unavailable` outside an extension
 */
export function keepInferenceHost({ host, consent }: HostOptions): void {
  const api = requireExtension();
  const url = api.runtime.getURL(host);
  let opening: Promise<void> | undefined;
  // Browsers refuse a second document while the first is being made.
  opener = () => (opening ??= open(api, url).finally(() => (opening = undefined)));
  const keeper = consent === undefined ? undefined : new ConsentKeeper(api, api.runtime.getURL(consent));
  const askPerson = async (message: AskConsentMessage, sender: Sender): Promise<ConsentAnswer> => {
    if (!keeper) throw new InferenceError('unavailable', 'This extension does not offer its models to web pages.');
    return { state: await keeper.ask(message, sender) };
  };
  api.runtime.onMessage.addListener((sent, sender, answer) => {
    const message = sent as Partial<OpenHostMessage | AskConsentMessage> | undefined;
    if (message?.inpage === 'open-host') void openHere().then(answer);
    else if (message?.inpage === 'ask-consent')
      void orError(() => askPerson(message as AskConsentMessage, sender)).then(answer);
    else return undefined;
    return true;
  });
}

function openHere(): Promise<BackgroundAnswer> {
  return orError(async () => {
    await opener?.();
    return {};
  });
}

async function orError<Answer extends BackgroundAnswer>(
  act: () => Promise<Answer>,
): Promise<Answer | BackgroundAnswer> {
  try {
    return await act();
  } catch (thrown) {
    return { error: serializeInferenceError(toInferenceError(thrown)) };
  }
}

/** @internal Opens the host, from any context. What the background says to it. */
export async function askToOpenHost(api: WebExtension): Promise<BackgroundAnswer> {
  if (opener) return openHere();
  const message: OpenHostMessage = { inpage: 'open-host' };
  return askBackground(api, message);
}

/** @internal What the background answers. @throws InferenceError `unavailable` where it does not listen */
export async function askBackground<Answer extends BackgroundAnswer>(
  { runtime }: WebExtension,
  message: OpenHostMessage | AskConsentMessage,
): Promise<Answer> {
  // Rejects where no one listens, and throws where the extension was reloaded.
  const send = async () => (await runtime.sendMessage(message)) as Answer | undefined;
  // A background worker that is ended before it has answered is started by the next message.
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const answer = await send().catch(() => undefined);
    if (answer) return answer;
  }
  requireExtension();
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
