/** A network in memory that misbehaves as {@link Behaviour} says, without a server, a socket or a wait of its own. */
import { type Behaviour, etagOf, type FaultServer, goodBehaviour } from './fault-server.js';

/** Like a {@link FaultServer}; `fetch` is the only way to it, and fails once it is closed. */
export interface FakeNetwork extends FaultServer {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Answers again after `close`. */
  open(): void;
}

const URL_BASE = 'http://files.test/';

/** @param files by path without the slash at its beginning */
export function fakeNetwork(files: Record<string, Uint8Array> = {}): FakeNetwork {
  let isClosed = false;
  let atOnce = 0;
  const network: FakeNetwork = {
    url: URL_BASE,
    files: new Map(Object.entries(files)),
    behaviour: goodBehaviour(),
    sent: 0,
    requests: [],
    mostAtOnce: 0,
    close: async () => void (isClosed = true),
    open: () => (isClosed = false),
    async fetch(url, init = {}) {
      init.signal?.throwIfAborted();
      if (isClosed) throw new TypeError('Failed to fetch');
      network.mostAtOnce = Math.max(network.mostAtOnce, ++atOnce);
      const over = once(() => atOnce--);
      await Promise.resolve();
      const answer = answerTo(network, url, init, over);
      if (answer.body === null) over();
      return answer;
    },
  };
  return network;
}

function answerTo(network: FakeNetwork, url: string, init: RequestInit, over: () => void): Response {
  const { behaviour } = network;
  const { method = 'GET', signal } = init;
  const range = new Headers(init.headers).get('range') ?? '';
  const path = decodeURIComponent(url.slice(URL_BASE.length)).split('?')[0]!;
  behaviour.onRequest({ method, url } as never);
  network.requests.push(`${method} ${path} ${range}`.trim());
  if (behaviour.fails.times > 0) {
    behaviour.fails.times--;
    const { status, retryAfter } = behaviour.fails;
    return new Response(null, {
      status,
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    });
  }
  const file = network.files.get(path);
  if (!file) return new Response(null, { status: 404 });
  const { status, start, end, headers } = headOf(behaviour, path, file, range);
  if (method === 'HEAD' || status === 416) return new Response(null, { status, headers });
  return new Response(bodyOf(network, { path, file, range, start, end, signal, over }), { status, headers });
}

function headOf(behaviour: Behaviour, path: string, file: Uint8Array, asked: string) {
  const match = behaviour.ignoresRanges ? null : /^bytes=(\d+)-(\d*)$/.exec(asked);
  const start = match ? Number(match[1]) : 0;
  const end = match?.[2] ? Math.min(Number(match[2]) + 1, file.length) : file.length;
  const status = match ? (start >= file.length ? 416 : 206) : 200;
  const headers = new Headers({
    etag: etagOf(file),
    'content-type': path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
  });
  if (behaviour.hidesHeaders) headers.delete('etag');
  else {
    if (!behaviour.ignoresRanges) headers.set('accept-ranges', 'bytes');
    if (status === 416) headers.set('content-range', `bytes */${file.length}`);
    if (status === 206) headers.set('content-range', `bytes ${start}-${end - 1}/${file.length}`);
    if (status !== 416) headers.set('content-length', String(end - start));
  }
  return { status, start, end, headers };
}

interface Sending {
  path: string;
  file: Uint8Array;
  range: string;
  start: number;
  end: number;
  signal: AbortSignal | null | undefined;
  over: () => void;
}

/** Sends nothing ahead of what is read. */
function bodyOf(network: FakeNetwork, { path, file, range, start, end, signal, over }: Sending): ReadableStream {
  const { behaviour } = network;
  const bytes = lied(behaviour, path, file, range, start, end);
  let left = Infinity;
  if (behaviour.cuts > 0 && behaviour.cutsAfter < end - start) {
    behaviour.cuts--;
    left = behaviour.cutsAfter;
  }
  let position = start;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          over();
          controller.error(signal!.reason);
        };
        signal?.addEventListener('abort', end, { once: true });
      },
      async pull(controller) {
        if (behaviour.chunkPause > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.chunkPause));
        if (signal?.aborted) return;
        if (position === end || left === 0) {
          over();
          if (position === end) return controller.close();
          return controller.error(new TypeError('terminated'));
        }
        const piece = bytes.slice(position, Math.min(end, position + Math.min(behaviour.chunkBytes, left)));
        network.sent += piece.length;
        position += piece.length;
        left -= piece.length;
        controller.enqueue(piece);
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  );
}

function lied(
  { lies }: Behaviour,
  path: string,
  file: Uint8Array,
  range: string,
  start: number,
  end: number,
): Uint8Array {
  const isAsked = lies && lies.file === path && lies.times > 0 && (!range || (lies.at >= start && lies.at <= end));
  if (!isAsked) return file;
  lies.times--;
  const bytes = Uint8Array.from(file);
  bytes[lies.at]! ^= 1;
  return bytes;
}

function once(call: () => void): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}
