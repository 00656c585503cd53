/** Request bodies as JSON objects. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { boundBody } from './json-bounds.js';

/**
 * The body as an object.
 * @throws InferenceError `invalid_json` (also when the body is not an object), `payload_too_large`, or `invalid_request`
 * for JSON that is nested too deeply or holds too much
 */
export async function readJsonBody(c: HttpRequestContext, context: HttpContext): Promise<Record<string, unknown>> {
  return readObject(await readBytes(c.req.raw, context.maxBodyBytes), c, context);
}

/** As {@link readJsonBody}; a body that is not there is an empty object. */
export async function readOptionalJsonBody(
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c.req.raw, context.maxBodyBytes);
  if (bytes.length === 0) return {};
  return readObject(bytes, c, context);
}

async function readObject(
  bytes: Uint8Array,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Record<string, unknown>> {
  const parse = (): Promise<Record<string, unknown>> => parseObject(bytes, c);
  const body = await (bytes.length > LARGE_BODY_BYTES ? inTurn(parse) : parse());
  const pairs = context.compatibility.metadata === 'bounded' ? body['metadata'] : undefined;
  if (typeof pairs === 'object' && pairs !== null && Object.keys(pairs).length > MAX_PAIRS)
    throw new InferenceError('invalid_request', `\`metadata\` must have at most ${MAX_PAIRS} pairs.`, {
      param: 'metadata',
    });
  return body;
}

/** Pairs of `metadata`, as hosted services have it on every endpoint. */
const MAX_PAIRS = 16;

/** Bodies that take longer to parse than others should wait for more than one of. */
const LARGE_BODY_BYTES = 256 * 1024;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Large bodies are parsed one at a time, and others are answered between two of them. */
function inTurn<Result>(parse: () => Promise<Result>): Promise<Result> {
  const turn = lastTurn.then(yieldToEventLoop).then(parse);
  lastTurn = turn.catch(() => {});
  return turn;
}

async function parseObject(bytes: Uint8Array, c: HttpRequestContext): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notJson('is not valid UTF-8', c, cause);
  }
  let body: unknown;
  try {
    body = JSON.parse(await boundBody(text));
  } catch (cause) {
    if (isInferenceError(cause)) throw cause;
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
  // RFC 9110, 8.4.1.3: an older name of the same.
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  if (encoding === 'deflate') return encoding;
  if (encoding === '' || encoding === 'identity') return undefined;
  const message = `A body with \`content-encoding: ${encoding.slice(0, 40)}\` cannot be decoded. Send it uncompressed, or as gzip.`;
  throw new InferenceError('invalid_request', message);
}

async function readWhole(
  request: Request,
  packing: CompressionFormat | undefined,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // Firefox gives a stream of a response's body, but none of a request's.
  const body = request.body ?? new Response(await request.arrayBuffer()).body;
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
  const [first] = chunks;
  if (first && chunks.length === 1) return first as Uint8Array<ArrayBuffer>;
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
