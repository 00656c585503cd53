/** Bodies of requests for the journal. @module */
import { gunzipSync, inflateSync } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { boundaryOf, readForm } from '../../core/media/read-form.js';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import type { SentBody } from './protocol.js';

const MAX_JOURNAL_CHARACTERS = 1_000_000;

/** Parts of a form that are told; one of more is told as text. */
const MAX_PARTS = 1_000;

/** The whole body. Undefined: there is none. */
export function journalBody(
  { headers }: IncomingMessage,
  bytes: Buffer<ArrayBuffer> | undefined,
): SentBody | undefined {
  if (!bytes || bytes.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  if (/^multipart\/form-data/i.test(type)) {
    const fields = formFields(bytes, type);
    if (fields) return { kind: 'json', text: JSON.stringify(fields), cut: false };
  }
  const text = unpack(bytes, headers['content-encoding']).toString('utf8');
  return { kind: isJson(text) ? 'json' : 'text', text, cut: false };
}

/** What the journal keeps of it. */
export function cutBody(body: SentBody): SentBody {
  if (body.text.length <= MAX_JOURNAL_CHARACTERS) return body;
  return { kind: 'text', text: body.text.slice(0, MAX_JOURNAL_CHARACTERS), cut: true };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What cannot be unpacked stays as it came. */
function unpack(bytes: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: MAX_BODY_BYTES };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, limit);
    if (encoding === 'deflate') return inflateSync(bytes, limit);
  } catch {
    return bytes;
  }
  return bytes;
}

type FormValue = string | { name: string; type: string; size: number };

/** Fields by name, several of a name as an array. Undefined: it is not a form. */
function formFields(bytes: Buffer<ArrayBuffer>, type: string): Record<string, FormValue | FormValue[]> | undefined {
  const boundary = boundaryOf(type);
  if (boundary === undefined) return undefined;
  try {
    const fields = new Map<string, FormValue[]>();
    for (const [name, value] of readForm(bytes, boundary, MAX_PARTS)) {
      const told = typeof value === 'string' ? value : { name: value.name ?? '', type: value.type, size: value.size };
      fields.set(name, [...(fields.get(name) ?? []), told]);
    }
    return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
  } catch {
    return undefined;
  }
}
