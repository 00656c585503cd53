/** Request bodies that are forms with a file. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import { boundaryOf, BrokenForm, readForm as parseForm } from '../../../core/media/read-form.js';
import type { HttpRequestContext } from '../endpoint/http-context.js';
import { readBytes } from './read-json-body.js';

/** What a form may be. */
export interface FormRules {
  /** Of the file. */
  maxFileBytes: number;
  /** The same in words. */
  limit: string;
  /** What the file is. */
  holds: string;
  /** Fields that count as absent when they are empty. */
  nullable?: readonly string[];
}

/** Room for the fields around the file. */
const MAX_OTHER_BYTES = 1024 * 1024;

/** A form has about ten parts. Each takes time to parse, and a body could hold a million. */
const MAX_PARTS = 100;

/**
 * The form's fields: texts as strings, files as `FormFile`s. Of a repeated field the first counts; a name that ends with
 * brackets is a list, named without them.
 * @throws InferenceError `malformed_multipart`; `invalid_request` with param `file` when the body is too large
 */
export async function readForm(
  c: HttpRequestContext,
  { maxFileBytes, limit, holds, nullable = [] }: FormRules,
): Promise<Record<string, unknown>> {
  const type = c.req.raw.headers.get('content-type') ?? '';
  const body = await readBytes(c.req.raw, maxFileBytes + MAX_OTHER_BYTES).catch((thrown: unknown) => {
    throw isInferenceError(thrown) && thrown.code === 'payload_too_large' ? tooLarge(limit, thrown) : thrown;
  });
  if (!/^\s*multipart\/form-data\b/i.test(type)) throw malformed(notForm(type, holds));
  const boundary = boundaryOf(type);
  if (boundary === undefined) throw malformed(BROKEN_FORM);
  try {
    return readFields(parseForm(body, boundary, MAX_PARTS), nullable);
  } catch (thrown) {
    throw thrown instanceof BrokenForm ? malformed(BROKEN_FORM, thrown) : thrown;
  }
}

/** The fields of a form or of a query, see {@link readForm}. */
export function readFields(
  entries: Iterable<[string, unknown]>,
  nullable: readonly string[] = [],
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    if (value === '' && nullable.includes(name)) continue;
    if (name.endsWith('[]')) lists.set(name.slice(0, -2), [...(lists.get(name.slice(0, -2)) ?? []), value]);
    else if (!Object.hasOwn(fields, name)) fields[name] = value;
  }
  return { ...fields, ...Object.fromEntries(lists) };
}

const BROKEN_FORM =
  'The multipart body could not be parsed. Pass a `FormData` as the body, and do not set `content-type` yourself.';

const notForm = (type: string, holds: string): string =>
  `The body must be multipart/form-data with ${holds} in \`file\`, not ${type.split(';', 1)[0]!.slice(0, 60) || 'a body without content type'}. Pass a \`FormData\`, and do not set \`content-type\` yourself.`;

function malformed(message: string, cause?: unknown): InferenceError {
  return new InferenceError('malformed_multipart', message, {}, { cause });
}

function tooLarge(limit: string, cause: unknown): InferenceError {
  return new InferenceError('invalid_request', `\`file\` must be at most ${limit}.`, { param: 'file' }, { cause });
}
