/** What every endpoint gets from the app. @module */
import type { Context } from 'hono';
import type { SerializedInferenceError } from '../../../core/errors/inference-error.js';
import type { StoredModel } from '../../../core/models/stored-model.js';
import type { ResumeState } from '../../answer/resume-state.js';
import type { Faults } from './faults.js';
import type { Unreadable } from '../../files/read/unreadable.js';
import type { FileService } from '../../files/open-file-service.js';
import type { ControlledInference } from '../../scheduler/inference.js';
import type { RecentItems } from '../../state/recent-items.js';
import type { ResponseStore } from '../../state/response-store.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { EndpointName } from '../errors/error-table.js';

/** What comes with one request, and variables that the app sets before the endpoint's handler runs. */
export interface HttpEnvironment {
  Bindings: {
    /** Called when a model begins to work on the request. */
    onBegin?: () => void;
    /** What a streamed answer notes of itself, and what is known of one that another host began. */
    resumeState?: ResumeState;
    /** A part of the caller's key: the web page that asks through an extension; empty: the extension itself. */
    origin?: string | undefined;
    /** The error that the request is answered with, whatever it asks. */
    refusal?: SerializedInferenceError | undefined;
  };
  Variables: {
    /** The one of {@link HttpEnvironment.Bindings}, or a new one. */
    resumeState: ResumeState;
    /** Uuid of the request: `inference-id` of the answer, `request_id` of an error. */
    inferenceId: string;
    /** Which error shapes the endpoint has. */
    endpoint: EndpointName;
    /** Digest of the caller's key (`anonymous` without one), and its origin: the name of its rate-limit counters. */
    caller: string;
    /** The same where callers are told apart, by `apiKeys` or origins: prompts of one are not reused for another. */
    partition: string | undefined;
    /** Headers that the answer carries whether it succeeds or fails (rate limits). */
    answerHeaders: Record<string, string>;
  };
}

/** hono's context of one request in this app. */
export type HttpRequestContext = Context<HttpEnvironment>;

/** What is stored of models on the device. */
export interface ModelStore {
  list(): Promise<StoredModel[]>;
  /** Ends the model's engine and removes its files. @throws InferenceError */
  remove(model: string): Promise<void>;
}

/** Everything an endpoint may use besides the request. */
export interface HttpContext {
  inference: ControlledInference;
  compatibility: Compatibility;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Unix seconds: since when there is this service. */
  startedAt: number;
  /** A new uuid. Endpoints make their ids from it, e.g. `chatcmpl-…`. */
  createId: () => string;
  streamTiming: StreamTiming;
  /** Simulated failures. `admit` and `streamResponse` apply them, so endpoints need not. */
  faults: Faults;
  /** Opens what is stored of responses; absent: nothing is. Rejects with InferenceError `unavailable`. */
  responses?: (() => Promise<ResponseStore>) | undefined;
  /** Opens what is kept of files. Rejects with InferenceError `unavailable`. */
  files: () => Promise<FileService>;
  /** The text of a file that is not kept, or why there is none. */
  readFile: (bytes: Uint8Array<ArrayBuffer>, name: string) => Promise<string | Unreadable>;
  /** Items of late answers that are not among them. */
  recentItems: RecentItems;
  /** Seconds that a request waits for its turn in a conversation. */
  requestTimeout: number;
  /** The model files on the device; absent: none are stored. */
  modelStore?: ModelStore | undefined;
  /** Largest JSON body in bytes. */
  maxBodyBytes: number;
  /**
   * Takes `requests` (n completions are n requests) from the caller's quota and notes the rate-limit headers.
   * Called once per inference request, after the body has been validated and before anything is generated.
   * @throws InferenceError `rate_limit_exceeded`, or the error of a simulated fault
   */
  admit: (c: HttpRequestContext, requests?: number) => Promise<void>;
}

/** Waits of a stream, in milliseconds. */
export interface StreamTiming {
  /** Longest wait for the first event before the stream is opened without it. */
  startDelayMs: number;
  /** Longest silence of an open stream before a keep-alive is sent. */
  keepAliveMs: number;
}
