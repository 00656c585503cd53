/** What a client learns that asks outside of the service's base. @module */
import type { ServerResponse } from 'node:http';
import { type ErrorFacts, generalBody, MESSAGES_PATH, messagesBody, OLLAMA_PATH } from '../core/errors/error-bodies.js';
import { createUuid } from '../core/platform/create-uuid.js';

/** What clients ask below the origin, whatever their base: Cohere's, and those of vLLM's tokenizers. */
const BELOW_ORIGIN = ['/v2/rerank', '/tokenize', '/detokenize', '/tokenizer_info'];

/** The path of the service that a path outside of it stands for; undefined: none. @param prefix of the service */
export function servedPath(path: string, prefix: string): string | undefined {
  // A service whose prefix begins in the same way has its own operations there.
  const isOllama = `${path}/`.startsWith(OLLAMA_PATH) && !`${prefix}/`.startsWith(OLLAMA_PATH);
  return isOllama || BELOW_ORIGIN.includes(path) ? `${prefix}${path}` : undefined;
}

/** 404, with the base that was probably meant: one without the prefix is the most common mistake. */
export function sendUnknownPath(response: ServerResponse, path: string, prefix: string): void {
  const id = createUuid();
  const facts: ErrorFacts = {
    type: 'not_found_error',
    code: null,
    message: `This path does not exist. The base URL must end in \`${prefix}\`.`,
    param: null,
  };
  const body = path.startsWith(MESSAGES_PATH) ? messagesBody(facts, id) : generalBody(facts, id);
  response.writeHead(404, { 'content-type': 'application/json', 'x-request-id': id }).end(JSON.stringify(body));
}
