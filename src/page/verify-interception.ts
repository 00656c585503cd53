/** Whether requests of a page reach the gateway through a Service Worker of the app. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { OWN_PATH } from '../core/request/own-path.js';

/**
 * Asks through the page's own `fetch`.
 * @param script path of the app's Service Worker
 * @throws InferenceError `unavailable` that names the script, when it answers them before
 */
export async function verifyInterception(baseURL: string, script: string, signal: AbortSignal): Promise<void> {
  const answer = await globalThis.fetch(baseURL + OWN_PATH, { signal, cache: 'no-store' });
  if (answer.headers.has('x-request-id')) return;
  throw new InferenceError(
    'unavailable',
    `The Service Worker ${script} handles requests to ${baseURL} before Inpage does. Move its \`importScripts\` of Inpage to the first line, above its own \`fetch\` listener. Or pass \`serviceWorker: false\` and use \`inference.fetch\`.`,
  );
}
