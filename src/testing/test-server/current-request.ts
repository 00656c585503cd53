/** Which request of the journal some work is for. @module */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntryKey } from './protocol.js';

/** A request under way, as those see it who answer it. */
export interface CurrentRequest extends EntryKey {
  /** Below the base. */
  endpoint: string;
  /** JSON text; undefined: there is none. */
  body: string | undefined;
  headers: Record<string, string>;
  model: string | undefined;
  signal: AbortSignal;
  /** No reply fits it. */
  onUnmatched(): void;
}

/** Set while a request is answered. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();
