/** What answers the requests of `serve`. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScriptedEntry } from '../../core/models/model-entry.js';

/** The service behind the server: in a page, or in Node. */
export interface ServedModels {
  /** Absolute. */
  readonly baseURL: string;
  /** The browser that runs the models, with its version; undefined: there is none. */
  readonly browser: string | undefined;
  /** Whether that runs in its sandbox; undefined where that is not known, and without a browser. */
  readonly sandbox: boolean | undefined;
  /** Whether a request would be answered now. */
  isReady(): Promise<boolean>;
  /**
   * Answers a request; never rejects.
   * @param url absolute, below the service's base; undefined: the request is for nothing that is here
   */
  answer(url: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** What was recorded. @throws InferenceError `invalid_request` without the option `record` */
  recorded(): Promise<ScriptedEntry[]>;
  close(): Promise<void>;
}
