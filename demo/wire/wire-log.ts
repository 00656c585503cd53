/** What went over the page's own wire, newest request only. */
import { signal } from '@preact/signals';
import { chosenPanel } from '../chosen-panel.js';

/** Events kept in view; a long answer would make the page slow. */
const KEPT = 200;

/** Milliseconds between two renderings of the list: tokens come faster than anyone reads. */
const FLUSH_INTERVAL = 50;

/** A request as it was sent. */
export interface WireRequest {
  /** Below the base, e.g. `/chat/completions`. */
  path: string;
  /** The fields. A form's file is there by its name. */
  body: Record<string, unknown>;
  /** How it was sent: `sound` is the sound itself, with the fields in the query. */
  sentAs: 'json' | 'form' | 'sound';
}

export interface WireEvent {
  key: number;
  /** Milliseconds since the request. */
  at: number;
  data: string;
}

export const request = signal<WireRequest | undefined>(undefined);
/** The panel that it was sent from. */
export const sentFrom = signal('');
export const events = signal<WireEvent[]>([]);
/** All events of the request, also those that are out of view. */
export const eventCount = signal(0);

let start = 0;
let waiting: WireEvent[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

export function recordRequest(sent: WireRequest): void {
  start = performance.now();
  waiting = [];
  request.value = sent;
  sentFrom.value = chosenPanel.peek();
  events.value = [];
  eventCount.value = 0;
}

export function recordEvent(data: string): void {
  waiting.push({ key: eventCount.peek() + waiting.length, at: Math.round(performance.now() - start), data });
  timer ??= setTimeout(flush, FLUSH_INTERVAL);
}

function flush(): void {
  timer = undefined;
  eventCount.value += waiting.length;
  events.value = [...events.value, ...waiting].slice(-KEPT);
  waiting = [];
}
