/** Request bodies as JSON objects. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { refuseDeepJson } from './refuse-deep-json.js';

/**
 * The body as an object.
 * @throws InferenceError `invalid_json` (also when the body is no object), `payload_too_large`, or `invalid_request`
 * for JSON that is nested too deeply
 */
export async function readJsonBody(c: HttpRequestContext, context: HttpContext): Promise<Record<string, unknown>> {
  const bytes = await readBytes(c.req.raw, context.maxBodyBytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InferenceError('invalid_json', 'The request body is not valid UTF-8.', {}, { cause });
  }
  refuseDeepJson(text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new InferenceError('invalid_json', 'The request body is not valid JSON.', {}, { cause });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InferenceError('invalid_json', 'The request body must be a JSON object.');
  }
  return body as Record<string, unknown>;
}

/**
 * The body as bytes, unpacked, and read no further than the limit: `content-length` may be absent or wrong.
 * @throws InferenceError `payload_too_large`, or `invalid_request` when it broke off or cannot be unpacked
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const packing = packingOf(request.headers);
  try {
    return await readWhole(request, packing, maxBytes);
  } catch (thrown) {
    if (isInferenceError(thrown) || request.signal.aborted) throw thrown;
    const what = packing ? 'could not be unpacked' : 'broke off while it was sent';
    throw new InferenceError('invalid_request', `The request body ${what}.`, {}, { cause: thrown });
  }
}

/** How the body is packed; undefined: it is not. */
function packingOf(headers: Headers): CompressionFormat | undefined {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (encoding === 'gzip' || encoding === 'deflate') return encoding;
  if (encoding === '' || encoding === 'identity') return undefined;
  const message = `A body with \`content-encoding: ${encoding.slice(0, 40)}\` cannot be read. Send it as it is, or as gzip.`;
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
