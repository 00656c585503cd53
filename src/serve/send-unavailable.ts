/** What a client learns while nothing can answer. @module */
import type { ServerResponse } from 'node:http';
import type { CompatibilityName } from '../core/models/inference-options.js';
import { unavailableResponse } from '../relay/stream/request-payload.js';

/** 503 with `retry-after`, as everywhere where no engine can answer. */
export async function sendUnavailable(
  response: ServerResponse,
  { compatibility, url, prefix }: { compatibility: CompatibilityName; url: string; prefix: string },
): Promise<void> {
  const answer = unavailableResponse(compatibility, url, prefix);
  response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text());
}
