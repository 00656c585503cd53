/** The public types of `inpage/test-server`. @module */
import type { FaultSettings } from '../../core/models/fault-settings.js';
import type { InferenceOptions } from '../../core/models/inference-options.js';
import type { ModelEntry, ScriptedEntry, TypedModelEntry } from '../../core/models/model-entry.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';

/** A message of a request, as chat completions write it. */
export interface ReplyMessage {
  /** Whose message it is. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Parts only where there are images or sound. */
  content: string | Record<string, unknown>[];
  /** Calls of the assistant. */
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  /** Which call a tool message answers. */
  tool_call_id?: string;
}

/** A tool that a request offers, as chat completions write it. */
export interface ReplyTool {
  /** There are no others. */
  type: 'function';
  /** What the model may call. */
  function: { name: string; description?: string; parameters?: unknown };
}

/** A request that a function answers. */
export interface ReplyRequest {
  /** The path below the base, e.g. `/messages`. */
  endpoint: string;
  /** The name that was asked for. */
  model: string;
  /** In the form of chat completions, whatever the endpoint. */
  messages: ReplyMessage[];
  /** In the form of chat completions. */
  tools: ReplyTool[];
  /** As the client sent it. */
  body: unknown;
  /** Lower-case names. Credentials are `[secret]`. */
  headers: Record<string, string>;
  /** How many assistant messages there are. */
  turn: number;
  /** Whether a tool result comes after the last message of the user. */
  hasToolResult: boolean;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

/** Makes a reply in the test. Undefined: it does not fit, and the next reply is asked. */
export type ReplyFunction = (
  request: ReplyRequest,
) => ScriptedReply | undefined | void | Promise<ScriptedReply | undefined | void>;

/** A script whose replies may be functions, or which is one function. */
export interface TestScript extends Omit<Script, 'replies'> {
  /** Asked in their order, or one function that makes all. */
  replies: (ScriptedReply | ReplyFunction)[] | ReplyFunction;
}

/** A model of the test server: `scripted` (its script may have functions) or `upstream`. */
export type TestModel =
  | (Omit<ModelEntry, 'backend' | 'script'> & { backend: 'scripted'; script?: TestScript })
  | Extract<TypedModelEntry, { backend: 'scripted' | 'upstream' }>;

/** What the test server may be told. All of it is optional. */
export interface TestServerOptions extends Pick<
  InferenceOptions,
  'apiKeys' | 'rateLimits' | 'compatibility' | 'requestTimeout' | 'prefix' | 'record' | 'storeResponses'
> {
  /**
   * The models. If you leave it out, every model name is answered.
   * @example
   * startTestServer({ models: [{ id: 'gpt-5', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hello!' }] } }] });
   */
  models?: readonly TestModel[];
  /**
   * TCP port on 127.0.0.1.
   * @default 0, any that is free
   * @example
   * startTestServer({ port: 8081 });
   */
  port?: number;
  /**
   * Where the clock stands: it moves by `advance` only. `'real'`: the machine's clock, and random ids.
   * @default 2026-01-01T00:00:00Z
   * @example
   * startTestServer({ now: 'real' });
   */
  now?: Date | number | string;
}

/** What the service answered. */
export interface JournalAnswer {
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The body as it was sent; undefined for sound. */
  text: string | undefined;
  /** The parsed body of an answer in one piece. */
  body: unknown;
  /** The parsed `data` of a streamed answer, in order. `[DONE]` is a text. */
  events: unknown[] | undefined;
}

/** A request that the server got, and its answer. Fields that are not known yet are undefined. */
export interface JournalEntry {
  /** Counts from 0 until `reset()`. */
  index: number;
  /** E.g. `POST`. */
  method: string;
  /** Of the request line, without its query. */
  path: string;
  /** Of the request line. */
  query: Record<string, string>;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON; of a form an object of its fields (files as `{ name, type, size }`), else the text. */
  body: unknown;
  /** The name that was asked for. */
  model: string | undefined;
  /** Of the answer. */
  status: number | undefined;
  /** `aborted`: the client left. `broken`: a fault broke the connection. */
  state: 'open' | 'done' | 'aborted' | 'broken';
  /** As far as it has come. */
  answer: JournalAnswer | undefined;
  /** No reply fitted. */
  unmatched: boolean;
  /** What a function as reply has thrown. */
  error: unknown;
  /** Unix milliseconds of the server's clock. */
  startedAt: number;
  /** Milliseconds. */
  firstByteMs: number | undefined;
  /** Milliseconds. */
  durationMs: number | undefined;
  /** The body or the answer's text is longer than 1 MB, and ends there. */
  cut?: true;
  /** Resolves with this entry when its answer has ended. */
  readonly finished: Promise<JournalEntry>;
}

/** Which requests are meant: all fields must be equal, or the function returns true. */
export type RequestFilter = { method?: string; path?: string; model?: string } | ((entry: JournalEntry) => boolean);

/** The requests, oldest first. */
export interface Journal extends ReadonlyArray<JournalEntry> {
  /** Empties it. */
  clear(): void;
}

/** A running test server. What changes it returns at once, and holds for every request that is sent after the call. */
export interface TestServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The origin and `prefix`: an SDK's `baseURL`. */
  readonly baseURL: string;
  /** Environment variables that lead SDKs here. */
  readonly env: {
    readonly OPENAI_BASE_URL: string;
    readonly OPENAI_API_KEY: string;
    readonly ANTHROPIC_BASE_URL: string;
    readonly ANTHROPIC_API_KEY: string;
  };
  /** What was asked: the newest 1,000 requests. */
  readonly requests: Journal;
  /** The requests that no reply fitted. */
  readonly unmatched: readonly JournalEntry[];
  /**
   * The oldest request that fits and was not given before, as soon as it has been read.
   * @throws Error after `timeout` milliseconds (default 5000), at `close()` and when `signal` aborts
   */
  nextRequest(filter?: RequestFilter, options?: { timeout?: number; signal?: AbortSignal }): Promise<JournalEntry>;
  /**
   * Replies that are asked before the models' own; the last call comes first.
   * @throws InferenceError `invalid_request` whose `param` names what is wrong
   */
  use(
    script: TestScript | ScriptedReply | ReplyFunction | readonly (ScriptedReply | ReplyFunction)[],
    options?: { model?: string },
  ): void;
  /** Takes back every `use`, faults, the journal, counts, ids and the clock. Requests under way end as `aborted`. */
  reset(): void;
  /** Failures, delays and broken streams on demand. */
  readonly faults: { set(settings: FaultSettings): Promise<void>; clear(): Promise<void> };
  /** With the option `record`: the answers as scripted models. */
  recorded(): Promise<ScriptedEntry[]>;
  /** Moves the clock. */
  advance(milliseconds: number): void;
  /** Ends all requests and frees the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
