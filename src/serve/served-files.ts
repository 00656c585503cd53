/** Files that a server gives what it starts itself: its page, or the threads of its models. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** See the module. */
export interface ServedFiles {
  /** @returns whether there is something at this path */
  send(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}
