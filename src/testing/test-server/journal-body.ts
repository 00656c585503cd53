/** Bodies of requests for the journal. @module */
import { gunzipSync, inflateSync } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import type { SentBody } from './protocol.js';

const MAX_JOURNAL_CHARACTERS = 1_000_000;

/** The whole body. Undefined: there is none. */
export async function journalBody(
  { headers }: IncomingMessage,
  bytes: Buffer<ArrayBuffer> | undefined,
): Promise<SentBody | undefined> {
  if (!bytes || bytes.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const fields = await readForm(bytes, type);
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
    if (encoding === 'gzip') return gunzipSync(bytes, limit);
    if (encoding === 'deflate') return inflateSync(bytes, limit);
  } catch {
    return bytes;
  }
  return bytes;
}

type FormValue = string | { name: string; type: string; size: number };

/** Fields by name, several of a name as an array. Undefined: it is not a form. */
async function readForm(
  bytes: Buffer<ArrayBuffer>,
  type: string,
): Promise<Record<string, FormValue | FormValue[]> | undefined> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const fields: Record<string, FormValue | FormValue[]> = {};
    for (const name of new Set(form.keys())) {
      const values = form
        .getAll(name)
        .map((value): FormValue =>
          typeof value === 'string' ? value : { name: value.name, type: value.type, size: value.size },
        );
      fields[name] = values.length === 1 ? values[0]! : values;
    }
    return fields;
  } catch {
    return undefined;
  }
}
