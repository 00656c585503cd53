/** Request bodies as JSON objects. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';

/**
 * The body as an object.
 * @throws InferenceError `invalid_json` (also when the body is not an object), `payload_too_large`, or `invalid_request`
 * for JSON that is nested too deeply
 */
export async function readJsonBody(c: HttpRequestContext, context: HttpContext): Promise<Record<string, unknown>> {
  return parseJsonObject(await readBytes(c.req.raw, context.maxBodyBytes), c);
}

/** As {@link readJsonBody}; a body that is not there is an empty object. */
export async function readOptionalJsonBody(
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c.req.raw, context.maxBodyBytes);
  return bytes.length === 0 ? {} : parseJsonObject(bytes, c);
}

function parseJsonObject(bytes: Uint8Array, c: HttpRequestContext): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notJson('is not valid UTF-8', c, cause);
  }
  refuseDeepJson(text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw notJson(bytes.length === 0 ? 'is empty' : 'is not valid JSON', c, cause);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InferenceError('invalid_json', 'The request body must be a JSON object.');
  }
  return body as Record<string, unknown>;
}

/** The error of a body that is something else. */
function notJson(what: string, c: HttpRequestContext, cause: unknown): InferenceError {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';', 1);
  const isOther = /^(multipart\/form-data|application\/x-www-form-urlencoded)$/i.test(type.trim());
  const hint = isOther ? ` This endpoint accepts JSON, not ${type.trim().toLowerCase()}.` : '';
  return new InferenceError('invalid_json', `The request body ${what}.${hint}`, {}, { cause });
}

/**
 * The body as bytes, unpacked, and read no further than the limit: `content-length` may be absent or wrong.
 * @throws InferenceError `payload_too_large`, or `invalid_request` when it broke off or cannot be unpacked
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const packing = readContentEncoding(request.headers);
  try {
    return await readWhole(request, packing, maxBytes);
  } catch (thrown) {
    if (isInferenceError(thrown) || request.signal.aborted) throw thrown;
    const what = packing ? 'could not be unpacked' : 'broke off while it was sent';
    throw new InferenceError('invalid_request', `The request body ${what}.`, {}, { cause: thrown });
  }
}

/** How the body is packed; undefined: it is not. */
function readContentEncoding(headers: Headers): CompressionFormat | undefined {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (encoding === 'gzip' || encoding === 'deflate') return encoding;
  if (encoding === '' || encoding === 'identity') return undefined;
  const message = `A body with \`content-encoding: ${encoding.slice(0, 40)}\` cannot be decoded. Send it uncompressed, or as gzip.`;
  throw new InferenceError('invalid_request', message);
}

async function readWhole(
  request: Request,
  packing: CompressionFormat | undefined,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = request;
  const reader = (packing ? body?.pipeThrough(new DecompressionStream(packing)) : body)?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.byteLength;
    if (length > maxBytes) {
      void reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(step.value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(maxBytes: number): InferenceError {
  return new InferenceError('payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}

/** Deeper nesting than any request needs; beyond it, recursive readers further down would run out of stack. */
const MAX_DEPTH = 200;

/**
 * @param param dotted path of the field that holds the JSON text; absent: it is the body
 * @throws InferenceError `invalid_request` for JSON that is nested too deeply
 */
export function refuseDeepJson(json: string, param?: string): void {
  if (!isDeeperThan(json, MAX_DEPTH)) return;
  const subject = param === undefined ? 'The request body' : `\`${param}\``;
  const message = `${subject} is nested more than ${MAX_DEPTH} levels deep.`;
  throw new InferenceError('invalid_request', message, param === undefined ? {} : { param });
}

/** Looks at brackets outside strings, without building anything. */
function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

/** Index of the quote that ends the string starting at `start` (or the end of the text). */
function endOfString(json: string, start: number): number {
  for (let index = json.indexOf('"', start + 1); index !== -1; index = json.indexOf('"', index + 1)) {
    let backslashes = 0;
    while (json[index - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return json.length;
}
