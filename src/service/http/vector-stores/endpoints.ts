/** The operations below /vector_stores: their table. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { type EndpointBody, lazyEndpoint } from '../endpoint/lazy-endpoint.js';
import { pageQuery } from '../fields/list-page.js';
import type { vectorStores } from './stores.js';
import { MEMBER_STATUSES, STORES_PAGE } from './rules.js';

const PATH = '/vector_stores';
const STORE = `${PATH}/:vector_store_id`;
const FILES = `${STORE}/files`;
const FILE = `${FILES}/:file_id`;
const BATCHES = `${STORE}/file_batches`;
const BATCH = `${BATCHES}/:batch_id`;

const query = pageQuery(STORES_PAGE);
const FILES_QUERY = {
  ...query,
  filter: { description: 'Only files of this status.', schema: { type: 'string', enum: [...MEMBER_STATUSES] } },
};

const row = (
  method: Endpoint['method'],
  path: string,
  summary: string,
  [operation, listed]: readonly [keyof typeof vectorStores, Endpoint['query']?],
): Endpoint =>
  lazyEndpoint(
    { name: 'files', method, path, summary, ...(listed && { query: listed }) },
    async (): Promise<EndpointBody> => (await import('./stores.js')).vectorStores[operation],
  );

export const vectorStoreEndpoints: readonly Endpoint[] = [
  row('POST', PATH, 'Creates a vector store: files that are searched together.', ['create']),
  row('GET', PATH, 'Lists the vector stores, the newest first.', ['list', query]),
  row('GET', STORE, 'Describes a vector store.', ['retrieve']),
  row('POST', STORE, 'Changes what is said of a vector store.', ['change']),
  row('DELETE', STORE, 'Removes a vector store. Its files stay.', ['remove']),
  row('POST', `${STORE}/search`, 'Finds the parts of files that fit a query best.', ['search']),
  row('POST', FILES, 'Adds a file to a vector store and indexes it.', ['addFile']),
  row('GET', FILES, 'Lists the files of a vector store.', ['listFiles', FILES_QUERY]),
  row('GET', FILE, 'Describes a file of a vector store.', ['retrieveFile']),
  row('POST', FILE, 'Replaces the attributes of a file.', ['changeFile']),
  row('DELETE', FILE, 'Takes a file out of a vector store. The file stays.', ['removeFile']),
  row('GET', `${FILE}/content`, 'The text that was read from a file.', ['fileContent']),
  row('POST', BATCHES, 'Adds several files to a vector store.', ['createBatch']),
  row('GET', BATCH, 'Describes a batch of files.', ['retrieveBatch']),
  row('POST', `${BATCH}/cancel`, 'Leaves out the files of a batch that have not begun.', ['cancelBatch']),
  row('GET', `${BATCH}/files`, 'Lists the files of a batch.', ['listBatch', FILES_QUERY]),
];
