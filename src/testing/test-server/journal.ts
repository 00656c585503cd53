/** What a test server was asked, as its test sees it. @module */
import { createParser } from 'eventsource-parser';
import type { EntryKey, SentBody, ToTest } from './protocol.js';
import { EntryRedactor } from './redact.js';
import type { Journal, JournalEntry } from './test-server-types.js';

const MAX_ENTRIES = 1_000;

/** Characters of an answer's text that are kept. */
const MAX_TEXT = 1_000_000;

type EntryMessage = Exclude<Extract<ToTest, EntryKey>, { type: 'ask' }>;

interface OpenEntry {
  entry: JournalEntry;
  /** The answer's text as it came. */
  text: string;
  isText: boolean;
  isChanged: boolean;
  isRead: boolean;
  finish: (entry: JournalEntry) => void;
}

/** Entries that messages of the server's thread fill. */
export class ServerJournal {
  readonly requests: Journal;
  /** Told of each request that has been read. */
  onRead: (entry: JournalEntry) => void = () => {};
  /** Takes secrets out of answers. */
  redactor = new EntryRedactor([]);
  readonly #list: JournalEntry[] = [];
  readonly #open = new Map<string, OpenEntry>();
  #epoch = 0;

  constructor() {
    this.requests = Object.defineProperty(this.#list, 'clear', { value: () => this.clear() }) as unknown as Journal;
  }

  get unmatched(): JournalEntry[] {
    return this.#list.filter(({ unmatched }) => unmatched);
  }

  clear(): void {
    this.#list.length = 0;
  }

  /** Empties it; requests under way are over. @returns the new epoch */
  reset(): number {
    for (const record of this.#open.values()) this.#end(record, 'aborted');
    this.#open.clear();
    this.clear();
    this.#epoch += 1;
    return this.#epoch;
  }

  /** The entry of a request under way. */
  find(key: EntryKey): JournalEntry | undefined {
    return this.#open.get(nameOf(key))?.entry;
  }

  take(message: EntryMessage): void {
    // What is late of a reset belongs to nothing.
    if (message.epoch !== this.#epoch) return;
    if (message.type === 'arrived') return this.#begin(message);
    const record = this.#open.get(nameOf(message));
    if (!record) return;
    const { entry } = record;
    switch (message.type) {
      case 'read':
        entry.model = message.model;
        if (message.body) setBody(entry, message.body);
        record.isRead = true;
        return this.onRead(entry);
      case 'head':
        entry.status = message.status;
        entry.firstByteMs = message.firstByteMs;
        entry.answer = { headers: Object.fromEntries(message.headers), text: '', body: undefined, events: undefined };
        record.isText = /text|json|x-subrip/.test(entry.answer.headers['content-type'] ?? '');
        if (!record.isText) entry.answer.text = undefined;
        return;
      case 'piece':
        return this.#addText(record, message.text);
      case 'unmatched':
        entry.unmatched = true;
        return;
      case 'complete':
        entry.durationMs = message.durationMs;
        return this.#end(record, 'done');
      case 'end':
        entry.durationMs = message.durationMs;
        if (entry.state === 'open') this.#end(record, message.state);
        this.#open.delete(nameOf(message));
    }
  }

  /** Brings the texts of answers up to date, after all messages were taken. */
  refresh(): void {
    for (const record of this.#open.values()) if (record.isChanged) this.#showText(record);
  }

  #begin(message: Extract<EntryMessage, { type: 'arrived' }>): void {
    let finish: OpenEntry['finish'] = () => {};
    const finished = new Promise<JournalEntry>((resolve) => (finish = resolve));
    const fields: Omit<JournalEntry, 'finished'> = {
      index: message.index,
      method: message.method,
      path: message.path,
      query: JSON.parse(message.query) as Record<string, string>,
      headers: JSON.parse(message.headers) as Record<string, string>,
      body: undefined,
      model: undefined,
      status: undefined,
      state: 'open',
      answer: undefined,
      unmatched: false,
      error: undefined,
      startedAt: message.startedAt,
      firstByteMs: undefined,
      durationMs: undefined,
    };
    // A promise would be in the way where entries are compared.
    const entry = Object.defineProperty(fields, 'finished', { value: finished, enumerable: false }) as JournalEntry;
    this.#list.push(entry);
    if (this.#list.length > MAX_ENTRIES) this.#list.shift();
    this.#open.set(nameOf(message), { entry, text: '', isText: true, isChanged: false, isRead: false, finish });
  }

  #addText(record: OpenEntry, text: string): void {
    const room = MAX_TEXT - record.text.length;
    if (text.length > room) record.entry.cut = true;
    record.text += text.slice(0, room);
    record.isChanged = true;
    // A client may stop at the last event, before the connection ends.
    if (record.entry.state !== 'open') this.#parse(record);
  }

  #showText(record: OpenEntry): void {
    record.isChanged = false;
    if (record.entry.answer && record.isText) record.entry.answer.text = this.redactor.text(record.text);
  }

  #end(record: OpenEntry, state: JournalEntry['state']): void {
    record.entry.state = state;
    this.#parse(record);
    record.finish(record.entry);
  }

  #parse(record: OpenEntry): void {
    const { answer } = record.entry;
    if (!answer || !record.isText) return;
    this.#showText(record);
    const text = answer.text ?? '';
    if (answer.headers['content-type']?.startsWith('text/event-stream')) answer.events = parseEvents(text);
    else if (answer.headers['content-type']?.startsWith('application/x-ndjson')) answer.events = parseLines(text);
    else answer.body = parsed(text);
  }
}

function nameOf({ epoch, index }: EntryKey): string {
  return `${epoch} ${index}`;
}

function setBody(entry: JournalEntry, { kind, text, cut }: SentBody): void {
  entry.body = kind === 'json' ? (JSON.parse(text) as unknown) : text;
  if (cut) entry.cut = true;
}

/** What stands behind `data:`, in order; what is not JSON as text. */
function parseEvents(text: string): unknown[] {
  const events: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(parsed(data) ?? data) });
  // A stream that was cut ends without the empty line behind its last event.
  parser.feed(`${text}\n\n`);
  return events;
}

function parseLines(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [parsed(line) ?? line]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
