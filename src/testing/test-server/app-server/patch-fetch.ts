/** The global `fetch` of an app's server. @module */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { judgeUrl, type Verdict } from './judge-url.js';
import { askTestServer } from './patch-requests.js';

// Frameworks put their own in the place of these later.
const { fetch: ownFetch, Request: OwnRequest, Response: OwnResponse } = globalThis;

/** What Node's own sends where a caller says nothing. */
const USUAL_HEADERS = { accept: '*/*', 'user-agent': 'node' };

/** Statuses of answers that have no body. */
const BODILESS: ReadonlySet<number | undefined> = new Set([204, 205, 304]);

/** Before any framework wraps it. */
export function patchFetch(): void {
  globalThis.fetch = async function fetch(input, init) {
    const url = urlOf(input);
    const verdict: Verdict = url ? judgeUrl(url) : { by: 'network' };
    if (verdict.by === 'network') return ownFetch(input, init);
    if (verdict.by === 'nobody') throw verdict.error;
    return askByFetch(new OwnRequest(input, init), verdict);
  };
}

/** Undefined: Node says what is wrong with it. */
function urlOf(input: RequestInfo | URL): URL | undefined {
  const text = typeof input === 'object' && 'url' in input ? input.url : String(input);
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Over `node:http`: no proxy and no dispatcher that the app has set comes between. Rejects as `fetch` does. */
async function askByFetch(asked: Request, target: { url: URL; token: string }): Promise<Response> {
  const { signal, method, body, headers } = asked;
  signal.throwIfAborted();
  return new Promise<Response>((resolve, reject) => {
    const options = { method, headers: { ...USUAL_HEADERS, ...Object.fromEntries(headers) } };
    const outgoing = askTestServer(target, options, (answer) => {
      const stream = BODILESS.has(answer.statusCode) || method === 'HEAD' ? null : bodyOf(answer, signal);
      resolve(responseOf(answer, stream, asked.url));
    });
    const abort = (): void => {
      reject(signal.reason as Error);
      outgoing.destroy();
    };
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', abort));
    outgoing.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
    if (body)
      pipeline(Readable.fromWeb(body as NodeStream), outgoing).catch((thrown: Error) => outgoing.destroy(thrown));
    else outgoing.end();
  });
}

/** The pieces of an answer as they come. */
function bodyOf(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const pieces = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(new Uint8Array(value));
        } catch (cause) {
          controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause }));
        }
      },
      cancel: () => void answer.destroy(),
    },
    { highWaterMark: 0 },
  );
}

function responseOf(answer: IncomingMessage, body: ReadableStream | null, url: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  // The app sees the address that it asked.
  return Object.defineProperty(new OwnResponse(body, { status, statusText, headers }), 'url', { value: url });
}
