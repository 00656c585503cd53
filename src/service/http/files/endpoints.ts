/** The operations below /files: their table. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { type EndpointBody, lazyEndpoint } from '../endpoint/lazy-endpoint.js';
import { pageQuery } from '../fields/list-page.js';
import type { files } from './files.js';
import { FILES_PAGE, PURPOSES } from './rules.js';

const PATH = '/files';
const FILE = `${PATH}/:file_id`;
const name = 'files';

const lazily = (operation: keyof typeof files) => async (): Promise<EndpointBody> =>
  (await import('./files.js')).files[operation];

const LIST_QUERY = {
  ...pageQuery(FILES_PAGE),
  purpose: { description: 'Only files of this purpose.', schema: { type: 'string', enum: [...PURPOSES] } },
};

export const fileEndpoints: readonly Endpoint[] = [
  lazyEndpoint(
    { name, method: 'POST', path: PATH, summary: 'Stores a file on the device.', requestType: 'multipart/form-data' },
    lazily('upload'),
  ),
  lazyEndpoint(
    { name, method: 'GET', path: PATH, summary: 'Lists the files, the newest first.', query: LIST_QUERY },
    lazily('list'),
  ),
  lazyEndpoint({ name, method: 'GET', path: FILE, summary: 'Describes a file.' }, lazily('retrieve')),
  lazyEndpoint({ name, method: 'DELETE', path: FILE, summary: 'Removes a file from the device.' }, lazily('remove')),
  lazyEndpoint(
    { name, method: 'GET', path: `${FILE}/content`, summary: 'The bytes of a file as they came.' },
    lazily('content'),
  ),
];
