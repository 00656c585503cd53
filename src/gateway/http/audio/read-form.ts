/** Multipart bodies as plain fields. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { HttpRequestContext } from '../http-context.js';
import { readBytes } from '../validation/read-json-body.js';
import { MOST_FILE_BYTES } from './request.js';

/** Room for the fields around the file. */
const MOST_OTHER_BYTES = 1024 * 1024;

/** A transcription has about ten parts. Each takes time to parse, and a body could hold a million. */
const MOST_PARTS = 100;

/** Fields that count as absent when they are empty: forms cannot say null. */
const NULLABLE = ['prompt', 'language'];

/**
 * The form's fields: texts as strings, the file as a File. Of a repeated field the first counts; a name that ends with
 * brackets is a list, named without them.
 * @throws InferenceError `malformed_multipart`; `invalid_request` with param `file` when the body is too large
 */
export async function readForm(c: HttpRequestContext): Promise<Record<string, unknown>> {
  const type = c.req.raw.headers.get('content-type') ?? '';
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
  const body = await readBytes(c.req.raw, MOST_FILE_BYTES + MOST_OTHER_BYTES).catch((thrown: unknown) => {
    throw isInferenceError(thrown) && thrown.code === 'payload_too_large' ? tooLarge(thrown) : thrown;
  });
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  if (!boundary || !isClosed(body, delimiter) || countOf(body, delimiter) > MOST_PARTS + 1) throw malformed();
  let form: FormData;
  try {
    form = await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    throw malformed(cause);
  }
  return readFields(form);
}

/** The fields of a form or of a query, see {@link readForm}. */
export function readFields(entries: Iterable<[string, unknown]>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    if (value === '' && NULLABLE.includes(name)) continue;
    if (name.endsWith('[]')) lists.set(name.slice(0, -2), [...(lists.get(name.slice(0, -2)) ?? []), value]);
    else if (!Object.hasOwn(fields, name)) fields[name] = value;
  }
  return { ...fields, ...Object.fromEntries(lists) };
}

/** Parsers differ on bodies that were cut; a whole one ends with the boundary and two dashes. */
function isClosed(body: Uint8Array, delimiter: string): boolean {
  const end = new TextDecoder('latin1').decode(body.subarray(Math.max(0, body.length - delimiter.length - 4096)));
  return end.includes(`${delimiter}--`);
}

/** How often the delimiter stands in the body, looked at no longer than needed. */
function countOf(body: Uint8Array, delimiter: string): number {
  const text = new TextDecoder('latin1').decode(body);
  let count = 0;
  for (let at = text.indexOf(delimiter); at !== -1 && count <= MOST_PARTS + 1; at = text.indexOf(delimiter, at + 1)) {
    count += 1;
  }
  return count;
}

function malformed(cause?: unknown): InferenceError {
  return new InferenceError('malformed_multipart', 'The multipart body could not be read.', {}, { cause });
}

function tooLarge(cause: unknown): InferenceError {
  return new InferenceError('invalid_request', '`file` must be at most 25 MB.', { param: 'file' }, { cause });
}
