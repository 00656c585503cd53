/** What the operations below /files do. @module */
import * as v from 'valibot';
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import { FormFile } from '../../../core/media/read-form.js';
import { unknownFile } from '../../files/unknown-file.js';
import type { Files } from '../../files/files.js';
import type { FileRecord } from '../../files/records.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import { listPage, readChoice } from '../fields/list-page.js';
import { ownerOf } from '../fields/owner-of.js';
import { parseBody } from '../validation/parse-body.js';
import { readForm } from '../validation/read-form.js';
import { FILES_PAGE, PURPOSES } from './rules.js';

/** Largest file in bytes: 64 MiB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const FORM = { maxFileBytes: MAX_FILE_BYTES, limit: '64 MiB', holds: 'the file' };

const file = v.pipe(
  v.instance(FormFile, 'must be a file'),
  v.check(({ size }) => size > 0, 'must not be empty'),
  v.check(({ size }) => size <= MAX_FILE_BYTES, 'must be at most 64 MiB'),
);

/** Forms have no numbers. */
const seconds = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}$/, 'must be an integer'),
  v.transform(Number),
  v.minValue(3600),
  v.maxValue(2_592_000),
);

const uploadSchema = object({
  file,
  purpose: v.picklist(PURPOSES),
  expires_after: v.optional(object({ anchor: v.literal('created_at'), seconds })),
});

/** By the operation's name. */
export const files = {
  upload: {
    requestSchema: () => uploadSchema,
    route: (context) => async (c) => {
      const body = parseBody(uploadSchema, nestExpiry(await readForm(c, FORM)));
      await context.admit(c);
      const { files: stored, caller } = await openFiles(context, c);
      const { signal } = c.req.raw;
      throwIfCancelled(signal);
      // The form's bytes are let go of.
      const bytes = body.file.bytes.slice();
      const named = body.file.name ?? 'file';
      const expiresAfter = body.expires_after?.seconds;
      const made = await stored.add(caller, { bytes, filename: named, purpose: body.purpose, expiresAfter }, signal);
      return c.json(toFileObject(made));
    },
  },
  list: {
    route: (context) => async (c) => {
      const query = (name: string): string | undefined => c.req.query(name);
      const purpose = readChoice(query, 'purpose', PURPOSES);
      const { files: stored, caller } = await openFiles(context, c);
      const all = await stored.list(caller);
      const wanted = purpose === undefined ? all : all.filter((each) => each.purpose === purpose);
      return c.json(listPage(wanted.map(toFileObject), query, FILES_PAGE));
    },
  },
  retrieve: {
    route: (context) => async (c) => {
      const { files: stored, caller, id } = await openFiles(context, c);
      return c.json(toFileObject(required(await stored.find(caller, id), id)));
    },
  },
  remove: {
    route: (context) => async (c) => {
      const { files: stored, caller, id } = await openFiles(context, c);
      required((await stored.remove(caller, id)) || undefined, id);
      return c.json({ id, object: 'file', deleted: true });
    },
  },
  content: {
    route: (context) => async (c) => {
      const { files: stored, caller, id } = await openFiles(context, c);
      const { record, bytes } = required(await stored.content(caller, id), id);
      // Never a page of the app, whatever it is.
      return c.body(bytes, 200, {
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-disposition': `attachment; filename*=UTF-8''${encodeName(record.filename)}`,
      });
    },
  },
} satisfies Record<string, EndpointBody>;

async function openFiles(
  context: HttpContext,
  c: HttpRequestContext,
): Promise<{ files: Files; caller: string; id: string }> {
  const service = await context.files();
  return { files: service.files, caller: ownerOf(c.get('partition')), id: c.req.param('file_id') ?? '' };
}

/** @throws InferenceError `not_found` */
function required<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw unknownFile(id, 'file_id');
  return found;
}

/** In a form a field of an object has its name in brackets. */
function nestExpiry(form: Record<string, unknown>): Record<string, unknown> {
  const { 'expires_after[anchor]': anchor, 'expires_after[seconds]': seconds, ...rest } = form;
  if (anchor === undefined && seconds === undefined) return rest;
  return { ...rest, expires_after: { anchor, seconds } };
}

function toFileObject({ id, content, createdAt, filename, purpose, expiresAt }: FileRecord) {
  return {
    id,
    object: 'file',
    bytes: content.bytes,
    created_at: createdAt,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    filename,
    purpose,
    status: 'processed',
  };
}

/** For a header: characters that RFC 5987 allows, and the others in percents. */
function encodeName(name: string): string {
  // A lone half of a surrogate pair has no encoding.
  const whole = name.replaceAll(/\p{Cs}/gu, '\u{fffd}');
  return encodeURIComponent(whole).replaceAll(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
