/** Starts a test server, and is its handle in the test. @module */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { deserializeInferenceError } from '../../core/errors/inference-error.js';
import { FAULT_SETTINGS, type FaultSettings } from '../../core/models/fault-settings.js';
import type { ScriptedEntry } from '../../core/models/model-entry.js';
import { parseOptions } from '../../core/models/option-schema.js';
import type { AppLink } from './app-server/app-link.js';
import { ServerJournal } from './journal.js';
import { NextRequests } from './next-request.js';
import type { ServerSettings, ToServer, ToTest } from './protocol.js';
import { EntryRedactor } from './redact.js';
import { type ReplyFunctions, readReply, readServerOptions, readUse } from './test-server-options.js';
import type { Journal, JournalEntry, ReplyRequest, TestServer, TestServerOptions } from './test-server-types.js';

/**
 * Starts the service on 127.0.0.1, in a thread of its own: the page's gateway with scripted and remote models.
 * @throws InferenceError `invalid_request` (an option is wrong, `param` names it); Error where the port is taken
 * @example
 * const server = await startTestServer();
 * server.use({ text: 'Hello!' });
 * const openai = new OpenAI({ baseURL: server.baseURL, apiKey: 'test' });
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const functions: ReplyFunctions = [];
  return startThread(readServerOptions(options, functions), functions);
}

/**
 * Starts one that also answers an app's own server, while that answers requests with the cookie of this test.
 * @throws as {@link startTestServer}
 */
export async function startServerForApp(options: TestServerOptions, app: AppLink): Promise<TestServer> {
  const functions: ReplyFunctions = [];
  return startThread({ ...readServerOptions(options, functions), app }, functions);
}

async function startThread(settings: ServerSettings, functions: ReplyFunctions): Promise<TestServer> {
  const { port1, port2 } = new MessageChannel();
  const file = join(dirname(fileURLToPath(import.meta.url)), 'test-server-worker.js');
  const worker = new Worker(file, {
    workerData: { port: port2, settings },
    transferList: [port2],
    // Flags and loaders of the test are not for this thread.
    execArgv: [],
    // The start makes more garbage than a thread's first heap holds: clearing it would take a tenth of the time.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  const handle = new Handle({ worker, port: port1, settings, functions });
  await handle.listening;
  return handle;
}

// What a test puts in its place later is not for this.
const { AbortController: OwnAbortController } = globalThis;

/** Memory of the thread for values that soon are garbage. */
const YOUNG_HEAP_MB = 64;

interface HandleParts {
  worker: Worker;
  port: MessagePort;
  settings: ServerSettings;
  functions: ReplyFunctions;
}

type Settled<Value> = { resolve: (value: Value) => void; reject: (thrown: Error) => void };

class Handle implements TestServer {
  readonly listening: Promise<void>;
  origin = '';
  baseURL = '';
  readonly faults = {
    set: async (settings: FaultSettings): Promise<void> => this.#setFaults(settings),
    clear: async (): Promise<void> => this.#setFaults({}),
  };
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #settings: ServerSettings;
  readonly #functions: ReplyFunctions;
  readonly #journal = new ServerJournal();
  readonly #next = new NextRequests((milliseconds, ring) => this.#setAlarm(milliseconds, ring));
  readonly #alarms = new Map<number, () => void>();
  readonly #questions = new Map<number, Settled<ScriptedEntry[]>>();
  readonly #calls = new Map<number, AbortController>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #closing: Promise<void> | undefined;

  constructor({ worker, port, settings, functions }: HandleParts) {
    this.#worker = worker;
    this.#port = port;
    this.#settings = settings;
    this.#functions = functions;
    this.#journal.onRead = (entry) => this.#next.add(entry);
    this.#next.onWaiting = (isWaiting) => (isWaiting ? port.ref() : port.unref());
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.listening = this.#listen();
  }

  get env(): TestServer['env'] {
    const [first] = this.#settings.apiKeys ?? [];
    const key = (typeof first === 'string' ? first : first?.key) ?? 'test';
    return {
      OPENAI_BASE_URL: this.baseURL,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: this.origin,
      ANTHROPIC_API_KEY: key,
    };
  }

  get requests(): Journal {
    this.#drain();
    return this.#journal.requests;
  }

  get unmatched(): readonly JournalEntry[] {
    this.#drain();
    return this.#journal.unmatched;
  }

  nextRequest(...[filter, options = {}]: Parameters<TestServer['nextRequest']>): Promise<JournalEntry> {
    if (this.#closing) return Promise.reject(new Error('The test server is closed.'));
    this.#drain();
    return this.#next.next(filter, options);
  }

  use(...[script, { model } = {}]: Parameters<TestServer['use']>): void {
    this.#tell({ type: 'use', script: readUse(script, this.#functions), model });
  }

  reset(): void {
    this.#drain();
    for (const controller of this.#calls.values()) controller.abort();
    this.#calls.clear();
    this.#next.clear();
    this.#tell({ type: 'reset', epoch: this.#journal.reset() });
  }

  advance(milliseconds: number): void {
    this.#tell({ type: 'advance', milliseconds });
  }

  recorded(): Promise<ScriptedEntry[]> {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      this.#questions.set(id, { resolve, reject });
      this.#port.ref();
      this.#tell({ type: 'recorded', id });
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#port.on('message', (message: ToTest) => {
        if (message.type === 'start-failed') return reject(new Error(message.message));
        if (message.type !== 'listening') return this.#receive(message);
        this.origin = `http://127.0.0.1:${message.port}`;
        this.baseURL = this.origin + this.#settings.prefix;
        this.#journal.redactor = new EntryRedactor(message.secrets);
        resolve();
      });
    });
    // A server that is not closed keeps no process alive.
    this.#port.unref();
    this.#worker.unref();
  }

  async #close(): Promise<void> {
    this.#drain();
    this.#next.failAll(new Error('The test server was closed.'));
    this.#worker.ref();
    this.#tell({ type: 'close' });
    await Promise.race([this.#ended, new Promise<void>((resolve) => this.#alarms.set(CLOSED, resolve))]);
    this.#drain();
    this.#journal.reset();
    this.#port.close();
    await this.#worker.terminate();
  }

  #tell(message: ToServer): void {
    this.#port.postMessage(message);
  }

  #setFaults(settings: FaultSettings): void {
    parseOptions(FAULT_SETTINGS, settings, 'fault');
    this.#tell({ type: 'faults', settings });
  }

  #setAlarm(milliseconds: number, ring: () => void): void {
    const id = (this.#lastId += 1);
    this.#alarms.set(id, ring);
    this.#tell({ type: 'alarm', id, milliseconds });
  }

  /** Takes all that the server has told. */
  #drain(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port))
      this.#take(next.message as ToTest);
    this.#journal.refresh();
  }

  #receive(message: ToTest): void {
    this.#take(message);
    this.#drain();
  }

  #take(message: ToTest): void {
    switch (message.type) {
      case 'listening':
      case 'start-failed':
        return;
      case 'alarm': {
        const ring = this.#alarms.get(message.id);
        this.#alarms.delete(message.id);
        return ring?.();
      }
      case 'closed':
        return this.#alarms.get(CLOSED)?.();
      case 'recorded': {
        const question = this.#questions.get(message.id);
        this.#questions.delete(message.id);
        this.#port.unref();
        return message.error
          ? question?.reject(deserializeInferenceError(message.error))
          : question?.resolve(message.models ?? []);
      }
      case 'ask':
        return void this.#answer(message);
      case 'ask-over':
        return this.#calls.get(message.id)?.abort();
      default:
        this.#journal.take(message);
    }
  }

  /** Calls a function of the test. */
  async #answer(message: Extract<ToTest, { type: 'ask' }>): Promise<void> {
    const { id } = message;
    const controller = new OwnAbortController();
    this.#calls.set(id, controller);
    const request = { ...(JSON.parse(message.request) as object), signal: controller.signal } as ReplyRequest;
    try {
      const made = await this.#functions[message.function]?.(request);
      this.#tell({ type: 'reply', id, reply: made === undefined ? undefined : readReply(made) });
    } catch (thrown) {
      const entry = this.#journal.find(message);
      if (entry) entry.error = thrown;
      console.error(`inpage: a reply function failed, so the request got a 500. ${String(thrown)}`);
      this.#tell({ type: 'reply-failed', id });
    } finally {
      this.#calls.delete(id);
    }
  }
}

/** The number of what waits for the end. */
const CLOSED = 0;
