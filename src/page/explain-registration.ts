/** Why a Service Worker could not be registered. @module */

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
  const reason = text.split("'): ").at(-1);
  const failed = `The Service Worker script ${url.pathname} could not be registered: ${reason}`;
  // Without the Vite plugin nothing tells that the app lies below the root of its origin.
  const beside = new URL(url.pathname.split('/').at(-1)!, document.baseURI);
  if (beside.pathname !== url.pathname && (await isScript(beside)))
    return `${failed} Your app has it at ${beside.pathname}: pass \`serviceWorker: '${beside.pathname}'\`.`;
  return `${failed} \`npx inpage init public\` copies it to a public folder, and the Vite plugin \`inpage/vite\` serves it; or pass \`serviceWorker: false\`.`;
}

async function isScript(url: URL): Promise<boolean> {
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  return response?.ok === true && /javascript/.test(response.headers.get('content-type') ?? '');
}
