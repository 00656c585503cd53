/** What page and gateway worker call on each other. Requests do not come this way. @module */
import type { ProxyMarked, Remote } from 'comlink';
import type { OptionsByRealm } from '../core/models/inference-options.js';
import type { PlainLoadOptions } from '../relay/protocol.js';
import type { PdfReader } from './files/read/read-file.js';

/** Everything the gateway must know. Plain data. */
export type GatewayOptions = OptionsByRealm['gateway'] & {
  /** What model workers are told with each model. */
  load: PlainLoadOptions;
};

/** Offered by the gateway worker to its page. */
export interface GatewayControl {
  /** Comes first, once. */
  configure(options: GatewayOptions, page: Remote<HostPageControl & ProxyMarked>): void;
  /** Takes one end of a call's port. */
  connect(port: MessagePort): void;
}

/** A model worker that runs, or the page's own end where a model runs in the page itself. */
export interface SpawnedWorker {
  id: number;
  port: MessagePort;
  lifeline: string | undefined;
}

/** Offered by the page to its gateway worker, which cannot make workers itself in every browser. */
export interface PageControl {
  /** Rejects with InferenceError `unavailable`. */
  spawnModelWorker(): Promise<SpawnedWorker>;
  /** For models that only a page can run. Rejects with InferenceError `unavailable`. */
  serveInPage(): Promise<SpawnedWorker>;
  endModelWorker(id: number): void;
}

/** Offered by the page that made the gateway. */
export interface HostPageControl extends PageControl {
  /** What a PDF says, in a worker of its own. Rejects with InferenceError `unavailable`. */
  readPdf: PdfReader;
  /** Asks the browser once to keep what is stored, also when room gets short. */
  keepStored(): Promise<void>;
}
