/** Why a Service Worker could not be registered, or does not answer. @module */

/** Milliseconds for a server to say whether it has the script elsewhere. */
const FETCH_TIMEOUT_MS = 5_000;

/**
 * @param text what the browser said
 * @param url the script that could not be registered
 * @returns what happened, and what to do
 */
export async function explainRegistration(text: string, url: URL): Promise<string> {
  if (text.includes('Content Security Policy'))
    return `The page's Content Security Policy blocks the Service Worker ${url.pathname}. Allow it in \`worker-src\`.`;
  // Chromium names the scope and the script before the reason.
  const reason = text.split("'): ").at(-1)!;
  const failed = `The Service Worker script ${url.pathname} could not be registered: ${reason.replace(/\.?$/, '.')}`;
  const served = await typeOf(url);
  if (served !== undefined && !isMissing(served) && !JAVASCRIPT.test(served))
    return `${failed} Your server sends it as ${served || 'a file without a content type'}. Send .js files as \`text/javascript\`.`;
  if (served !== undefined && JAVASCRIPT.test(served))
    return `${failed} Your server has this script, so look for its error in the console of the browser; or pass \`serviceWorker: false\`.`;
  // Without the Vite plugin nothing tells that the app lies below the root of its origin.
  const beside = new URL(url.pathname.split('/').at(-1)!, document.baseURI);
  if (beside.pathname !== url.pathname && JAVASCRIPT.test((await typeOf(beside)) ?? ''))
    return `${failed} Your app has it at ${beside.pathname}: pass \`serviceWorker: '${beside.pathname}'\`.`;
  return `${failed} \`npx inpage init public\` copies it to a public folder, and the Vite plugin \`inpage/vite\` serves it; or pass \`serviceWorker: false\`.`;
}

/** @returns undefined: the script that does not answer is one of ours */
export async function explainSilence(url: URL, signal: AbortSignal): Promise<string | undefined> {
  const script = await fetch(url, { signal }).then(
    (response) => response.text(),
    () => 'inpage',
  );
  // Scripts that import ours name it, and bundles contain its messages.
  if (script.includes('inpage')) return undefined;
  return `The Service Worker ${url.pathname} does not import Inpage. Make importScripts('inpage-sw.js') its first line, or leave \`serviceWorker\` out.`;
}

const JAVASCRIPT = /javascript|ecmascript/;

/** Servers of single-page apps answer with their page where there is no file. */
function isMissing(type: string): boolean {
  return type.includes('text/html');
}

/** The content type of a file; undefined: the server does not have it, or did not answer. */
async function typeOf(url: URL): Promise<string | undefined> {
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  return response?.ok ? (response.headers.get('content-type') ?? '') : undefined;
}
