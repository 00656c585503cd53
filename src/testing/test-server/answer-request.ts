/** One request to the test server, from its first line to the last byte of its answer. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BrokenConnection } from '../../service/http/endpoint/faults.js';
import {
  type AnswerObserver,
  announcedBody,
  isLive,
  readBody,
  sendResponse,
  streamBody,
  toRequest,
} from '../../serve/http/exchange.js';
import { type CurrentRequest, currentRequest } from './current-request.js';
import { cutBody, journalBody } from './journal-body.js';
import type { EntryEnd, EntryKey, ToTest } from './protocol.js';
import type { EntryRedactor } from './redact.js';
import type { TestService } from './service.js';

/** What a request needs. */
export interface RequestContext {
  service: TestService;
  /** It was meant for a server of another origin. */
  isIntercepted: boolean;
  redactor: EntryRedactor;
  key: EntryKey;
  tell: (message: ToTest) => void;
  /** Headers that the answer has besides those of the service. */
  corsHeaders: (names: readonly string[]) => Record<string, string>;
  /** Aborts when the server is reset. */
  reset: AbortSignal;
}

/** The end of an answer, in each dialect: its client may need nothing more. */
const LAST_EVENT =
  /(?:^|\n)(?:data: \[DONE\]|event: (?:message_stop|error|response\.(?:completed|incomplete|failed|cancelled))\n|\{[^\n]*"done":true)/;

/**
 * Never rejects.
 * @param target where the service has it
 * @param path below the base
 */
export async function answerRequest(
  { target, path }: { target: URL; path: string },
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const { service, isIntercepted, key, tell, reset } = context;
  const started = performance.now();
  const controller = new AbortController();
  let isOver = false;
  const end = (state: EntryEnd): void => {
    if (isOver) return;
    isOver = true;
    tell({ type: 'end', ...key, state, durationMs: performance.now() - started });
  };
  const leave = (): void => {
    end('aborted');
    controller.abort();
    response.destroy();
  };
  response.once('close', () => {
    end('aborted');
    controller.abort();
  });
  reset.addEventListener('abort', leave, { once: true, signal: controller.signal });
  const current = beginEntry(request, { target, path, signal: controller.signal }, context);
  try {
    const body = await takeBody(request, current, context);
    const answer = await currentRequest.run(current, async () =>
      service.app(isIntercepted).fetch(toRequest(request, { url: target.href, body, signal: controller.signal })),
    );
    if (isOver) return void answer.body?.cancel().catch(() => {});
    await currentRequest.run(current, () =>
      sendResponse(answer, response, {
        headers: context.corsHeaders([...answer.headers.keys()]),
        observer: observe(context, started, () => end('done')),
      }),
    );
  } catch (thrown) {
    end(thrown instanceof BrokenConnection ? 'broken' : 'aborted');
    response.destroy();
  }
}

function beginEntry(
  request: IncomingMessage,
  { target, path, signal }: { target: URL; path: string; signal: AbortSignal },
  { service, redactor, key, tell }: RequestContext,
): CurrentRequest {
  const headers = redactor.headers(collectHeaders(request));
  const query = redactor.query(Object.fromEntries(target.searchParams));
  tell({
    type: 'arrived',
    ...key,
    method: request.method ?? 'GET',
    path: redactor.text((request.url ?? '/').split('?', 1)[0]!),
    query: JSON.stringify(query),
    headers: JSON.stringify(headers),
    startedAt: service.now(),
  });
  const onUnmatched = (): void => tell({ type: 'unmatched', ...key });
  return { ...key, endpoint: path, headers, body: undefined, model: undefined, signal, onUnmatched };
}

/** The body for the service, once the journal has it. Live sound is passed on as it comes, and only its end is noted. */
async function takeBody(
  request: IncomingMessage,
  current: CurrentRequest,
  { redactor, key, tell }: RequestContext,
): Promise<Parameters<typeof toRequest>[1]['body']> {
  const announced = announcedBody(request);
  const note = async (bytes?: Buffer<ArrayBuffer>): Promise<void> => {
    const body = journalBody(request, bytes);
    if (body?.kind === 'json') current.body = JSON.stringify(redactor.value(JSON.parse(body.text)));
    current.model = modelOf(current.body);
    const shown = body && cutBody({ ...body, text: current.body ?? redactor.text(body.text) });
    tell({ type: 'read', ...key, body: shown, model: current.model });
  };
  if (announced === 'some' && isLive(request)) {
    request.once('end', () => void note());
    return streamBody(request);
  }
  const bytes = announced === 'some' ? await readBody(request) : undefined;
  request.resume();
  await note(bytes);
  return bytes;
}

/** The name that a body asks for. */
function modelOf(json: string | undefined): string | undefined {
  const { model } = (json === undefined ? {} : (JSON.parse(json) ?? {})) as { model?: unknown };
  return typeof model === 'string' ? model : undefined;
}

function observe({ key, tell, redactor }: RequestContext, started: number, end: () => void): AnswerObserver {
  const decoder = new TextDecoder();
  let isText = true;
  return {
    head(status, headers) {
      isText = headers.some(([name, value]) => name === 'content-type' && /text|json|x-subrip/.test(value));
      const shown = headers.map(([name, value]): [string, string] => [name, redactor.text(value)]);
      tell({ type: 'head', ...key, status, headers: shown, firstByteMs: performance.now() - started });
    },
    piece(bytes) {
      if (!isText) return;
      const text = decoder.decode(bytes, { stream: true });
      tell({ type: 'piece', ...key, text });
      if (LAST_EVENT.test(text)) tell({ type: 'complete', ...key, durationMs: performance.now() - started });
    },
    end,
  };
}

function collectHeaders({ headers }: IncomingMessage): Record<string, string> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return Object.fromEntries(given) as Record<string, string>;
}
