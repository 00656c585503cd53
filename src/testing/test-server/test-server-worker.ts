/** The server's thread. A thread of its own: what a test replaces in its realm (timers, `fetch`, `Date`) changes nothing here. @module */
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { InferenceError, serializeInferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import { secretsOfOptions } from '../../core/models/header-secrets.js';
import type { ScriptedReply } from '../../core/models/script.js';
import { MESSAGES_PATH } from '../../core/errors/error-bodies.js';
import { pause } from '../../core/platform/pause.js';
import { listen } from '../../serve/http/listen.js';
import { isLoopbackHost, isLoopbackOrigin, resolveTarget } from '../../serve/http/local-request.js';
import { type AppBases, LINK_PATH, TOKEN_HEADER } from './app-server/app-link.js';
import { answerRequest } from './answer-request.js';
import type { CurrentRequest } from './current-request.js';
import type { ServerSettings, ToServer, ToTest } from './protocol.js';
import { EntryRedactor } from './redact.js';
import { createTestService, type TestService } from './service.js';

/** What the thread is started with. */
export interface WorkerInput {
  port: MessagePort;
  settings: ServerSettings;
}

/** Answers requests, and does what the test says. */
class TestServerThread {
  readonly #port: MessagePort;
  readonly #settings: ServerSettings;
  readonly #redactor: EntryRedactor;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #waiting = new Map<
    number,
    { resolve: (reply: ScriptedReply | undefined) => void; reject: (thrown: Error) => void }
  >();
  #service: TestService;
  #epoch = 0;
  #nextIndex = 0;
  #lastAsk = 0;
  #reset = resetController();
  #origin = '';

  constructor({ port, settings }: WorkerInput) {
    this.#port = port;
    this.#settings = settings;
    this.#redactor = new EntryRedactor(secretsOfOptions(settings));
    this.#service = this.#createService();
    port.on('message', (message: ToServer) => this.#obey(message));
  }

  async start(): Promise<void> {
    try {
      const port = await listen(this.#server, this.#settings.port);
      this.#origin = `http://127.0.0.1:${port}`;
      this.#tell({ type: 'listening', port, secrets: secretsOfOptions(this.#settings) });
    } catch (thrown) {
      this.#tell({ type: 'start-failed', message: (thrown as Error).message });
      this.#port.close();
    }
  }

  #createService(): TestService {
    return createTestService(this.#settings, (number, request, current) => this.#ask(number, request, current));
  }

  #tell(message: ToTest): void {
    this.#port.postMessage(message);
  }

  /** What the test has said before a request was sent holds for it. */
  #drain(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port))
      this.#obey(next.message as ToServer);
  }

  #obey(message: ToServer): void {
    switch (message.type) {
      case 'use':
        return this.#service.desk.add(message.script, message.model);
      case 'faults':
        return this.#service.faults.set(message.settings);
      case 'advance':
        return this.#service.advance(message.milliseconds);
      case 'reset':
        return this.#startAnew(message.epoch);
      case 'reply':
        return this.#waiting.get(message.id)?.resolve(message.reply);
      case 'reply-failed':
        return this.#waiting
          .get(message.id)
          ?.reject(new InferenceError('internal', 'The server had an error while processing your request.'));
      case 'alarm':
        return void pause(message.milliseconds).then(() => this.#tell({ type: 'alarm', id: message.id }));
      case 'recorded':
        return this.#tellRecorded(message.id);
      case 'close':
        return void this.#close();
    }
  }

  /** A service that has seen nothing: requests under way belong to the old one, which draws from its own ids. */
  #startAnew(epoch: number): void {
    this.#reset.abort();
    this.#reset = resetController();
    void this.#service.stop();
    this.#service = this.#createService();
    this.#epoch = epoch;
    this.#nextIndex = 0;
  }

  #tellRecorded(id: number): void {
    try {
      this.#tell({ type: 'recorded', id, models: this.#service.recorded() });
    } catch (thrown) {
      this.#tell({ type: 'recorded', id, error: serializeInferenceError(toInferenceError(thrown)) });
    }
  }

  async #close(): Promise<void> {
    this.#reset.abort();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await Promise.all([closed, this.#service.stop()]);
    this.#tell({ type: 'closed' });
    this.#port.close();
  }

  /** Asks a function of the test. */
  #ask(number: number, request: string, { epoch, index, signal }: CurrentRequest): Promise<ScriptedReply | undefined> {
    const id = (this.#lastAsk += 1);
    return new Promise<ScriptedReply | undefined>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal.addEventListener('abort', () => {
        this.#tell({ type: 'ask-over', id });
        reject(new InferenceError('cancelled', 'The request was cancelled.'));
      });
      this.#tell({ type: 'ask', epoch, index, id, function: number, request });
    }).finally(() => this.#waiting.delete(id));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#drain();
    const { host = '', origin } = request.headers;
    if (!isLoopbackHost(host))
      return refuse(response, 403, `This server answers localhost only, not ${JSON.stringify(host)}.`);
    if (origin !== undefined && !isLoopbackOrigin(origin))
      return refuse(response, 403, `Pages of ${JSON.stringify(origin)} may not send requests to this server.`);
    const token = request.headers[TOKEN_HEADER];
    // It was meant for a test that had this port before.
    if (token !== undefined && token !== this.#settings.app?.token) return void response.destroy();
    delete request.headers[TOKEN_HEADER];
    if (token !== undefined && request.url === LINK_PATH) return this.#holdLink(response, token);
    const cors = (names: readonly string[]): Record<string, string> => corsHeaders(origin, names);
    const target = resolveTarget(request, this.#origin);
    const path = target && this.#pathOf(target);
    if (path === undefined) return refuse(response, 404, 'Not Found', cors([]));
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
      return void response.writeHead(204, preflightHeaders(request, origin)).end();
    const key = { epoch: this.#epoch, index: this.#nextIndex };
    this.#nextIndex += 1;
    target!.pathname = this.#settings.prefix + path;
    void answerRequest({ target: target!, path }, request, response, {
      service: this.#service,
      isIntercepted: token !== undefined,
      redactor: this.#redactor,
      key,
      tell: (message) => this.#tell(message),
      corsHeaders: cors,
      reset: this.#reset.signal,
    });
  }

  /** An app's server learns what is answered here, and that the test is over when the connection ends. */
  #holdLink(response: ServerResponse, token: string | string[]): void {
    const { prefix, app } = this.#settings;
    const bases: AppBases = { prefix, intercept: app?.intercept ?? [], allowHosts: app?.allowHosts ?? [] };
    response.writeHead(200, { [TOKEN_HEADER]: token }).write(`${JSON.stringify(bases)}\n`);
  }

  /** Below the base. Clients of Messages read their base URL differently, so it answers without it, too. Undefined: elsewhere. */
  #pathOf({ pathname }: URL): string | undefined {
    const { prefix } = this.#settings;
    if (pathname === prefix || pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length);
    const [, messages] = /^(?:\/v1)?(\/messages(?:\/.*)?)$/.exec(pathname) ?? [];
    return messages?.startsWith(MESSAGES_PATH) ? messages : undefined;
  }
}

/** Every request listens to it. */
function resetController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function refuse(response: ServerResponse, status: number, reason: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(reason);
}

/** @param names of the answer's headers, which the page may read */
function corsHeaders(origin: string | undefined, names: readonly string[]): Record<string, string> {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    ...(names.length > 0 && { 'access-control-expose-headers': names.join(', ') }),
    vary: 'origin',
  };
}

function preflightHeaders({ headers }: IncomingMessage, origin: string | undefined): Record<string, string> {
  return {
    ...corsHeaders(origin, []),
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-allow-private-network': 'true',
    'access-control-max-age': '600',
  };
}

void new TestServerThread(workerData as WorkerInput).start();
