/** `consentRequest`: what the consent page is to ask. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { requireOwnContext } from './allowed-origins.js';
import { openQuestions } from './ask-person.js';
import { writeDecision } from './consent-store.js';
import { requireExtension } from './web-extension.js';

/** What the person decides on the consent page. */
export interface ConsentRequest {
  /** Who asks to use the models, as the browser tells it. */
  readonly origin: string;
  /** Keeps that it may. */
  allow(): Promise<void>;
  /** Keeps that it may not. */
  deny(): Promise<void>;
}

/** Milliseconds until the background, which has opened this page, must have noted for whom. */
const NOTED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 50;

/**
 * What is asked, in the page that `keepInferenceHost` opens as `consent`.
 * @throws InferenceError `unavailable` in a page that was opened by another program, or whose question is answered
 * @example
 * const { origin, allow, deny } = await consentRequest();
 */
export async function consentRequest(): Promise<ConsentRequest> {
  requireOwnContext('consentRequest');
  const api = requireExtension();
  const own = await api.tabs?.getCurrent();
  for (let waited = 0; waited < NOTED_WITHIN_MS; waited += LOOK_EVERY_MS) {
    const { tab, shown, origins } = await openQuestions(api);
    if (shown !== undefined && tab === own?.id && tab !== undefined && origins.includes(shown))
      return { origin: shown, allow: () => writeDecision(shown, true), deny: () => writeDecision(shown, false) };
    await pause(LOOK_EVERY_MS);
  }
  throw new InferenceError(
    'unavailable',
    'There is no question to answer. The background opens the consent page when a web page asks.',
  );
}
