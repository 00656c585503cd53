/** What the operations below /vector_stores do. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { FileService } from '../../files/open-file-service.js';
import type { MemberRecord } from '../../files/records.js';
import type { NewMember, StoreFields } from '../../files/store-records.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { listPage, readChoice } from '../fields/list-page.js';
import { ownerOf } from '../fields/owner-of.js';
import { toSearch } from '../fields/search-fields.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { toBatchObject, toMemberObject, toStoreObject } from './objects.js';
import { MEMBER_STATUSES, STORES_PAGE } from './rules.js';
import {
  batchSchema,
  memberChangeSchema,
  memberSchema,
  searchSchema,
  storeChangeSchema,
  storeSchema,
  toChunking,
} from './schemas.js';

/** Results of a search that says nothing of their number. */
const USUAL_RESULTS = 10;

/** By the operation's name. */
export const vectorStores = {
  create: {
    requestSchema: () => storeSchema,
    route: (context) => async (c) => {
      const body = parseBody(storeSchema, await readOptionalBody(c, context));
      const { stores, caller } = await openStores(context, c);
      const chunking = toChunking(body.chunking_strategy);
      const files = unique(
        (body.file_ids ?? []).map((file, index) => newMember(file, `file_ids.${index}`, { chunking })),
      );
      return polled(
        c,
        toStoreObject(
          await stores.create(caller, { ...toFields(body), description: body.description ?? undefined }, files),
        ),
      );
    },
  },
  list: {
    route: (context) => async (c) => {
      const { stores, caller } = await openStores(context, c);
      const all = (await stores.list(caller)).map(toStoreObject);
      const page = listPage(all, queryOf(c), STORES_PAGE);
      const inProgress = page.data.reduce((sum, { file_counts: counts }) => sum + counts.in_progress, 0);
      return c.json(page, 200, pollAfter(inProgress));
    },
  },
  retrieve: {
    route: (context) => async (c) => {
      const { stores, caller, store } = await openStores(context, c);
      return polled(c, toStoreObject(await stores.require(caller, store)));
    },
  },
  change: {
    requestSchema: () => storeChangeSchema,
    route: (context) => async (c) => {
      const json = await readJsonBody(c, context);
      const body = parseBody(storeChangeSchema, json);
      const { stores, caller, store } = await openStores(context, c);
      return polled(c, toStoreObject(await stores.change(caller, store, toFields(body))));
    },
  },
  remove: {
    route: (context) => async (c) => {
      const { stores, caller, store } = await openStores(context, c);
      await stores.remove(caller, store);
      return c.json({ id: store, object: 'vector_store.deleted', deleted: true });
    },
  },
  search: {
    requestSchema: () => searchSchema,
    route: (context) => async (c) => {
      const body = parseBody(searchSchema, await readJsonBody(c, context));
      const { stores, search, rerankModel, caller, store } = await openStores(context, c);
      const { catalog } = context.inference;
      const how = toSearch(body, { usual: USUAL_RESULTS, param: '', catalog, rerankModel });
      await stores.require(caller, store);
      await context.admit(c);
      const queries = [body.query].flat();
      const asked = { ...how, queries, stores: [{ id: store, param: 'vector_store_id' }] };
      const found = await search.find(caller, asked, c.req.raw.signal);
      return c.json({
        object: 'vector_store.search_results.page',
        search_query: queries,
        data: found.map(({ fileId, filename, score, attributes, text }) => ({
          file_id: fileId,
          filename,
          score,
          attributes,
          content: [{ type: 'text', text }],
        })),
        has_more: false,
        next_page: null,
      });
    },
  },
  addFile: {
    requestSchema: () => memberSchema,
    route: (context) => async (c) => {
      const body = parseBody(memberSchema, await readJsonBody(c, context));
      const { stores, caller, store } = await openStores(context, c);
      const chunking = toChunking(body.chunking_strategy);
      const member = newMember(body.file_id, 'file_id', { chunking, attributes: body.attributes });
      return polled(c, toMemberObject(await stores.add(caller, store, member), store));
    },
  },
  listFiles: {
    route: (context) => async (c) => {
      const { stores, caller, store } = await openStores(context, c);
      return listMembers(c, store, () => stores.members(caller, store));
    },
  },
  retrieveFile: {
    route: (context) => async (c) => {
      const { stores, caller, store, file } = await openStores(context, c);
      return polled(c, toMemberObject(await stores.member(caller, store, file), store));
    },
  },
  changeFile: {
    requestSchema: () => memberChangeSchema,
    route: (context) => async (c) => {
      const { attributes } = parseBody(memberChangeSchema, await readJsonBody(c, context));
      const { stores, caller, store, file } = await openStores(context, c);
      return polled(c, toMemberObject(await stores.describe(caller, store, file, attributes ?? {}), store));
    },
  },
  removeFile: {
    route: (context) => async (c) => {
      const { stores, caller, store, file } = await openStores(context, c);
      await stores.removeMember(caller, store, file);
      return c.json({ id: file, object: 'vector_store.file.deleted', deleted: true });
    },
  },
  fileContent: {
    route: (context) => async (c) => {
      const { stores, files, caller, store, file } = await openStores(context, c);
      await stores.member(caller, store, file);
      const text = await files.text(caller, file);
      const data = typeof text === 'string' ? [{ type: 'text', text }] : [];
      return c.json({ object: 'vector_store.file_content.page', data, has_more: false, next_page: null });
    },
  },
  createBatch: {
    requestSchema: () => batchSchema,
    route: (context) => async (c) => {
      const json = await readJsonBody(c, context);
      requireOneList(json);
      const body = parseBody(batchSchema, json);
      const { stores, caller, store } = await openStores(context, c);
      await stores.require(caller, store);
      await context.admit(c);
      const ofAll = { chunking: toChunking(body.chunking_strategy), attributes: body.attributes };
      const files = body.files
        ? body.files.map(({ file_id: file, attributes, chunking_strategy: strategy }, index) =>
            newMember(file, `files.${index}.file_id`, { chunking: toChunking(strategy), attributes }),
          )
        : (body.file_ids ?? []).map((file, index) => newMember(file, `file_ids.${index}`, ofAll));
      return polled(c, toBatchObject(await stores.addBatch(caller, store, unique(files)), store));
    },
  },
  retrieveBatch: {
    route: (context) => async (c) => {
      const { stores, caller, store, batch } = await openStores(context, c);
      return polled(c, toBatchObject(await stores.batch(caller, store, batch), store));
    },
  },
  cancelBatch: {
    route: (context) => async (c) => {
      const { stores, caller, store, batch } = await openStores(context, c);
      return polled(c, toBatchObject(await stores.cancelBatch(caller, store, batch), store));
    },
  },
  listBatch: {
    route: (context) => async (c) => {
      const { stores, caller, store, batch } = await openStores(context, c);
      return listMembers(c, store, () => stores.batchMembers(caller, store, batch));
    },
  },
} satisfies Record<string, EndpointBody>;

type OpenStores = FileService & Record<'caller' | 'store' | 'file' | 'batch', string>;

async function openStores(context: HttpContext, c: HttpRequestContext): Promise<OpenStores> {
  const param = (name: string): string => c.req.param(name) ?? '';
  return {
    ...(await context.files()),
    caller: ownerOf(c.get('partition')),
    store: param('vector_store_id'),
    file: param('file_id'),
    batch: param('batch_id'),
  };
}

const queryOf =
  (c: HttpRequestContext) =>
  (name: string): string | undefined =>
    c.req.query(name);

/** A store needs nothing, so a client may send nothing. */
async function readOptionalBody(c: HttpRequestContext, context: HttpContext): Promise<Record<string, unknown>> {
  const hasBody = c.req.raw.headers.has('content-type') || Number(c.req.header('content-length') ?? 0) > 0;
  return hasBody ? readJsonBody(c, context) : {};
}

/**
 * After how many milliseconds it is worth asking again: soon where little is left. Clients of OpenAI's wait for seconds where
 * they are told nothing.
 */
const POLL_AFTER_MS = { least: 100, perFile: 5, most: 1000 };

/** The header that says so; none where nothing is in progress. */
function pollAfter(inProgress: number): Record<string, string> {
  const { least, perFile, most } = POLL_AFTER_MS;
  const milliseconds = Math.min(most, least + perFile * inProgress);
  return inProgress > 0 ? { 'openai-poll-after-ms': String(milliseconds) } : {};
}

/** An object that clients poll until it is no longer in progress. */
function polled(c: HttpRequestContext, body: { status: string; file_counts?: { in_progress: number } }): Response {
  const isBusy = body.status === 'in_progress' ? 1 : 0;
  return c.json(body, 200, pollAfter(body.file_counts?.in_progress ?? isBusy));
}

async function listMembers(
  c: HttpRequestContext,
  store: string,
  read: () => Promise<MemberRecord[]>,
): Promise<Response> {
  const status = readChoice(queryOf(c), 'filter', MEMBER_STATUSES);
  const all = await read();
  const wanted = status === undefined ? all : all.filter((member) => member.status === status);
  const page = listPage(
    wanted.map((member) => toMemberObject(member, store)),
    queryOf(c),
    STORES_PAGE,
  );
  return c.json(page, 200, pollAfter(page.data.filter((member) => member.status === 'in_progress').length));
}

function newMember(
  file: string,
  param: string,
  {
    chunking,
    attributes,
  }: { chunking: NewMember['chunking']; attributes?: NewMember['attributes'] | null | undefined },
): NewMember {
  return { file, param, chunking, attributes: attributes ?? {} };
}

/** A file that is named twice counts once. */
function unique(files: readonly NewMember[]): NewMember[] {
  return [...new Map(files.toReversed().map((each) => [each.file, each])).values()].toReversed();
}

/** What both bodies of a store say. */
function toFields({
  name,
  metadata,
  expires_after: expiry,
}: {
  name?: string | null | undefined;
  metadata?: StoreFields['metadata'] | null;
  expires_after?: { days: number } | null | undefined;
}): StoreFields {
  return {
    name: name ?? undefined,
    metadata: metadata ?? undefined,
    expiresAfterDays: expiry === undefined ? undefined : (expiry?.days ?? null),
  };
}

/** @throws InferenceError unless the body has one of the two lists */
function requireOneList({ file_ids: ids, files }: Readonly<Record<string, unknown>>): void {
  if ((ids == null) !== (files == null)) return;
  if (ids == null)
    throw new InferenceError('missing_required_field', '`file_ids` or `files` is required.', { param: 'file_ids' });
  throw new InferenceError('invalid_request', '`files` cannot stand beside `file_ids`.', { param: 'files' });
}
