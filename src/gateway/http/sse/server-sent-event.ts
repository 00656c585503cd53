/** The wire form of server-sent events. @module */

/** One event. Without `event` it is data-only. */
export interface ServerSentEvent {
  event?: string;
  /** Sent as it is when a string (`[DONE]`), else as JSON. */
  data: string | object;
}

/** A comment line: parsers skip it, so it keeps a connection alive without meaning anything. */
export const COMMENT = ': keep-alive\n\n';

/** The event as text, blank line included. Line breaks inside the data become several `data:` lines. */
export function encodeServerSentEvent({ event, data }: ServerSentEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const name = event === undefined ? '' : `event: ${event}\n`;
  // JSON never holds a raw line break, so the common case is one line.
  const lines = /[\r\n]/.test(text) ? text.split(/\r\n|\r|\n/).join('\ndata: ') : text;
  return `${name}data: ${lines}\n\n`;
}
