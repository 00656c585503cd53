/** A static file over HTTP. @module */
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { mediaTypeOf } from './static-files.js';

/** WASM gets several threads only on a page that came with these. */
export const ISOLATION_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/**
 * Answers with the file, or with 404 when it is not there any more. Rejects when the client leaves in between.
 * @param headers beside type and length
 */
export async function sendFile(
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string> = {},
): Promise<void> {
  const facts: Stats | undefined = await stat(path).catch(() => undefined);
  if (!facts) return void response.writeHead(404).end('Not Found');
  response.writeHead(200, { ...headers, 'content-type': mediaTypeOf(path), 'content-length': facts.size });
  if (method === 'HEAD') response.end();
  else await pipeline(createReadStream(path), response);
}
