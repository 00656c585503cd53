/** What a server gives its own page: the page and the library. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOST_PAGE, listHostFiles, modelsPageHtml } from './static-files/host-files.js';
import { ISOLATION_HEADERS, mediaTypeOf, sendFile } from './static-files/static-files.js';
import type { ServedFiles } from './served-files.js';

const PAGE_HEADERS = { ...ISOLATION_HEADERS, 'content-type': mediaTypeOf(HOST_PAGE) };

/** See the module. */
export class PageFiles implements ServedFiles {
  readonly #files = listHostFiles();
  readonly #html = modelsPageHtml();

  async send(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const file = this.#files.get(path);
    if (path === HOST_PAGE) response.writeHead(200, PAGE_HEADERS).end(this.#html);
    else if (file !== undefined) await sendFile(file, request, response, ISOLATION_HEADERS);
    else return false;
    return true;
  }
}
