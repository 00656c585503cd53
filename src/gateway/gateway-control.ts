/** What page and gateway worker call on each other on a control line. Requests do not come this way. @module */
import type { OptionsByRealm } from '../core/models/inference-options.js';
import type { PlainLoadOptions } from '../relay/protocol.js';

/** Everything the gateway must know. Plain data. */
export type GatewayOptions = OptionsByRealm['gateway'] & {
  /** What model workers are told with each model. */
  load: PlainLoadOptions;
};

/** Offered by the gateway worker to its page. */
export interface GatewayControl {
  /** Comes first, once. */
  configure(options: GatewayOptions): void;
  /** Takes one end of a call's port. */
  connect(port: MessagePort): void;
}

/** A model worker that runs, or the reason why none could be started. */
export type SpawnResult =
  | { started: true; id: number; port: MessagePort; lifeline: string | undefined }
  | { started: false; reason: string };

/** Offered by the page to its gateway worker, which cannot make workers itself in every browser. */
export interface PageControl {
  spawnModelWorker(): Promise<SpawnResult>;
  endModelWorker(id: number): void;
}
