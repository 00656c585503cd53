/** What the last requests took. */
import { signal } from '@preact/signals';
import { describeEvent } from '../wire/describe-event.js';

/** Requests that are kept. */
const KEPT = 24;

/** One request, from its start to its last event. */
export interface RequestRecord {
  key: number;
  path: string;
  model: string;
  /** Milliseconds to the first token; undefined: none came, or the answer was not streamed. */
  firstToken?: number;
  tokens: number;
  /** Undefined for answers too short to be measured. */
  tokensPerSecond?: number;
  /** Milliseconds in all; undefined: it runs. */
  total?: number;
}

/** The newest last. */
export const requestLog = signal<RequestRecord[]>([]);

let count = 0;

/** Seconds below which a rate says more about the browser than about the model. */
const SHORTEST = 0.05;

/** Follows a request; tell it of every event's data, and of the end. */
export function followRequest(path: string, model: string): { event(data: string): void; end(): void } {
  const key = count++;
  const start = performance.now();
  let first = 0;
  let last = 0;
  let tokens = 0;
  const put = (record: Partial<RequestRecord>): void => {
    const others = requestLog.peek().filter((other) => other.key !== key);
    requestLog.value = [...others, { key, path, model, tokens, ...record }].slice(-KEPT);
  };
  put({});
  return {
    event(data) {
      if (!['text', 'thought', 'call'].includes(describeEvent(data).tone)) return;
      last = performance.now();
      first ||= last;
      tokens += 1;
    },
    end() {
      const seconds = (last - first) / 1000;
      put({
        total: Math.round(performance.now() - start),
        ...(first > 0 && { firstToken: Math.round(first - start) }),
        ...(tokens > 1 && seconds > SHORTEST && { tokensPerSecond: (tokens - 1) / seconds }),
      });
    },
  };
}
