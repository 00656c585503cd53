/** What is used of the browsers' API for extensions, and where it is found. @module */
import { InferenceError } from '../core/errors/inference-error.js';

/** An event of the API. */
interface ApiEvent<Listener> {
  addListener(listener: Listener): void;
  removeListener(listener: Listener): void;
}

/** A caller that connects or sends a message, as the browser tells it. */
export interface Sender {
  /** Absent in older browsers. */
  origin?: string;
  url?: string;
  /** 0: the page at the top of its tab. */
  frameId?: number;
}

/** A connection between two contexts of one extension. */
export interface RuntimePort {
  readonly name: string;
  readonly sender?: Sender;
  readonly onMessage: ApiEvent<(message: unknown) => void>;
  readonly onDisconnect: ApiEvent<() => void>;
  postMessage(message: unknown): void;
  disconnect(): void;
}

type MessageListener = (message: unknown, sender: Sender, answer: (value: unknown) => void) => boolean | undefined;

interface Runtime {
  /** Undefined in a content script whose extension was reloaded. */
  readonly id?: string;
  readonly lastError?: unknown;
  readonly onConnect: ApiEvent<(port: RuntimePort) => void>;
  readonly onMessage: ApiEvent<MessageListener>;
  connect(info: { name: string }): RuntimePort;
  sendMessage(message: unknown): Promise<unknown>;
  getURL(path: string): string;
  getContexts?(filter: { contextTypes: string[] }): Promise<{ documentUrl?: string }[]>;
}

/** What lies in memory until the browser ends, for the extension's own contexts. */
interface SessionStorage {
  get(key: string): Promise<Record<string, unknown>>;
  set(values: Record<string, unknown>): Promise<void>;
}

/** A tab, whose address needs a permission. */
interface Tab {
  id?: number;
}

/** The API, as far as a context has it. */
export interface WebExtension {
  readonly runtime: Runtime;
  readonly offscreen?: {
    createDocument(options: { url: string; reasons: string[]; justification: string }): Promise<void>;
  };
  /** With the permission `storage`. */
  readonly storage?: { readonly session?: SessionStorage };
  readonly tabs?: {
    create(options: { url: string }): Promise<Tab>;
    getCurrent(): Promise<Tab | undefined>;
    remove(id: number): Promise<void>;
    readonly onRemoved: ApiEvent<(id: number) => void>;
  };
}

const realm = globalThis as { browser?: Partial<WebExtension>; chrome?: Partial<WebExtension> };

/** The API of the extension that this context belongs to; undefined in a web page, and when the extension was reloaded. */
export function webExtension(): WebExtension | undefined {
  // Pages have a `chrome` too, and some a `browser` of their own.
  for (const api of [realm.browser, realm.chrome]) if (api?.runtime?.id) return api as WebExtension;
  return undefined;
}

/** @throws InferenceError `unavailable` where {@link webExtension} is undefined */
export function requireExtension(): WebExtension {
  const api = webExtension();
  if (api) return api;
  throw new InferenceError('unavailable', 'This is not part of an extension, or of one that was reloaded since.', {
    permanent: true,
  });
}

/** Whether these are addresses of one extension: those of content scripts are their page's. */
export function isOfExtension({ runtime }: WebExtension, origin: string | undefined): boolean {
  return origin === new URL(runtime.getURL('')).origin;
}

/** The origin that the browser tells. */
export function originOf({ origin, url }: Sender = {}): string | undefined {
  return origin ?? (url === undefined ? undefined : new URL(url).origin);
}
