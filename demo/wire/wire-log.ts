/** What went over the page's own wire, newest request only. */
import { signal } from '@preact/signals';

/** Events kept in view; a long answer would make the page slow. */
const KEPT = 200;

export const request = signal<{ line: string; body: unknown } | undefined>(undefined);
export const events = signal<string[]>([]);

export function recordRequest(line: string, body: unknown): void {
  request.value = { line, body };
  events.value = [];
}

export function recordEvent(data: string): void {
  events.value = [...events.value.slice(-KEPT), data];
}
