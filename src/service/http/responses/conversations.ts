/** What the operations below /conversations do. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ConversationFacts, ConversationStore } from '../../state/conversation-store.js';
import type { StoredItem } from '../../state/records.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { RequestFiles } from '../fields/file-text.js';
import { object } from '../fields/json-object.js';
import { metadata, pairs } from '../fields/metadata.js';
import type { Compatibility } from '../policy/compatibility.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody, readOptionalJsonBody } from '../validation/read-json-body.js';
import { inputItem, type SentItem } from './input-schema.js';
import { resolveReferences } from './references.js';
import { ownerOf } from '../fields/owner-of.js';
import { listItems, toStoredItems, unknownConversation } from './stored-items.js';

const MAX_ITEMS = 20;

function itemsSchema(compatibility: Compatibility) {
  return v.pipe(v.array(inputItem(compatibility)), v.maxLength(MAX_ITEMS));
}

function creationSchema(compatibility: Compatibility) {
  return object({ items: v.nullish(itemsSchema(compatibility)), metadata });
}

function additionSchema(compatibility: Compatibility) {
  return object({ items: v.pipe(itemsSchema(compatibility), v.minLength(1)) });
}

/** Null empties it; absent is not enough. */
const updateSchema = object({ metadata: v.nullable(pairs) });

/** By what they do. */
export const conversations = {
  create: {
    requestSchema: creationSchema,
    route: (context) => async (c) => {
      const { state, owner } = await openState(context, c);
      const json = await readOptionalJsonBody(c, context);
      const body = parseBody(creationSchema(context.compatibility), json);
      const items = await readItems(body.items ?? [], json['items'], c, context);
      const createdAt = Math.floor(context.now() / 1000);
      const facts = { id: createId(context, 'conv'), createdAt, metadata: body.metadata ?? {} };
      const isStored = await state.create(owner, facts, { items, createId: () => createId(context, 'item') });
      if (!isStored) throw tooLarge('items');
      return c.json(told(facts));
    },
  },
  retrieve: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      return c.json(told(known(await state.find(owner, id), id)));
    },
  },
  update: {
    requestSchema: () => updateSchema,
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const body = parseBody(updateSchema, await readJsonBody(c, context));
      const described = known(await state.describe(owner, id, body.metadata ?? {}), id);
      if (described === 'too-large') throw tooLarge('metadata');
      return c.json(told(described));
    },
  },
  remove: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      known(await state.remove(owner, id), id);
      return c.json({ id, object: 'conversation.deleted', deleted: true });
    },
  },
  listItems: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { items } = known(await state.itemsOf(owner, id), id);
      return c.json(listItems(items, (name) => c.req.query(name)));
    },
  },
  addItems: {
    requestSchema: additionSchema,
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      known(await state.find(owner, id), id);
      const json = await readJsonBody(c, context);
      const body = parseBody(additionSchema(context.compatibility), json);
      const items = await readItems(body.items, json['items'], c, context);
      const added = known(await state.add(owner, id, { items, createId: () => createId(context, 'item') }), id);
      if (added === 'too-large') throw tooLarge('items');
      return c.json(listItems(added, (name) => ({ order: 'asc', limit: String(MAX_ITEMS) })[name]));
    },
  },
  retrieveItem: {
    route: (context) => async (c) => {
      const { state, owner, id, item } = await openState(context, c);
      return c.json(knownItem(await state.findItem(owner, id, item), item));
    },
  },
  removeItem: {
    route: (context) => async (c) => {
      const { state, owner, id, item } = await openState(context, c);
      const left = knownItem(await state.removeItem(owner, id, item), item);
      return c.json(told(left));
    },
  },
} satisfies Record<string, EndpointBody>;

interface OpenState {
  state: ConversationStore;
  owner: string;
  /** Of the path; '' where it has none. */
  id: string;
  item: string;
}

async function openState({ responses }: HttpContext, c: HttpRequestContext): Promise<OpenState> {
  const state = await responses?.();
  if (!state) throw new InferenceError('not_found', 'This service stores no conversations.');
  const owner = ownerOf(c.get('partition'));
  return { state: state.conversations, owner, id: c.req.param('id') ?? '', item: c.req.param('item_id') ?? '' };
}

function createId(context: HttpContext, prefix: string): string {
  return `${prefix}_${context.createId().replaceAll('-', '')}`;
}

/** As clients know a conversation. */
function told({ id, createdAt, metadata: given }: ConversationFacts): object {
  return { id, object: 'conversation', created_at: createdAt, metadata: given };
}

/** @throws InferenceError `not_found` */
function known<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw unknownConversation(id, 'id');
  return found;
}

function knownItem<Found>(found: Found | undefined, id: string): Found {
  if (found !== undefined) return found;
  const message = `There is no item \`${id.slice(0, 100)}\` in this conversation.`;
  throw new InferenceError('not_found', message, { param: 'item_id' });
}

/** Items that say how far they are, beside messages. */
const HAVE_STATUS = /^(custom_tool|function)_call(_output)?$/;

/** An item as clients know those of a conversation: with fields that it may have come without. */
function toWholeItem(item: StoredItem): StoredItem {
  const { type, content } = item as { type?: unknown; content?: unknown };
  const isCall = typeof type === 'string' && HAVE_STATUS.test(type);
  return {
    ...(isCall && { status: 'completed' }),
    ...item,
    ...(Array.isArray(content) && { content: content.map(toWholePart) }),
  };
}

function toWholePart(part: { type?: unknown }): object {
  return part.type === 'output_text' ? { annotations: [], logprobs: [], ...part } : part;
}

function tooLarge(param: string): InferenceError {
  const message = `\`${param}\` cannot be stored: the conversation would be larger than what is stored here may be.`;
  return new InferenceError('invalid_request', message, { param });
}

/**
 * A file that cannot be read would fail every response of the conversation.
 * @throws InferenceError `invalid_request`
 */
function checkFiles(item: object, path: string, files: RequestFiles): void {
  for (const [name, parts] of Object.entries(item))
    if (Array.isArray(parts))
      for (const [index, part] of parts.entries())
        if (part?.type === 'input_file') files.take(part, `${path}.${name}.${index}`);
}

/** The items as they are stored. @throws InferenceError for a reference or a file that leads to nothing */
async function readItems(
  checked: readonly (SentItem | { type: 'item_reference'; id: string })[],
  sent: unknown,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<StoredItem[]> {
  const files = new RequestFiles(context, c.get('partition'));
  for (const [index, item] of checked.entries()) checkFiles(item, `items.${index}`, files);
  await files.readAll();
  const owner = { caller: c.get('caller'), partition: c.get('partition') };
  const resolved = await resolveReferences({ checked: [...checked], sent }, owner, context, 'items');
  return toStoredItems(resolved.sent, (prefix) => createId(context, prefix)).map(toWholeItem);
}
