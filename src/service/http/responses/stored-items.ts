/** Items as they are stored between requests, and read again. @module */
import { ownEntry } from '../../../core/json/own-entry.js';
import { safeParse } from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { StoredItem } from '../../state/records.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { inputSchema, type SentItem } from './input-schema.js';

/**
 * Every item that a response read and made, in order, for one that follows it.
 * @throws InferenceError `previous_response_not_found` where a part of it is not stored any more
 */
export async function readEarlier(id: string, owner: string, context: HttpContext): Promise<readonly SentItem[]> {
  const state = await context.responses?.();
  const history = await state?.historyOf(owner, id);
  const param = 'previous_response_id';
  if (history?.pending) {
    const message = `\`${param}\` names a response that is not finished yet.`;
    throw new InferenceError('invalid_request', message, { param });
  }
  if (!history?.complete) {
    const message = `\`${param}\` names a response that is not stored here: it was never stored, or it was removed.`;
    throw new InferenceError('previous_response_not_found', message, { param });
  }
  return readItems(history.items, param, context);
}

/** What a response that is made in a conversation reads there. */
export interface ConversationTurn {
  id: string;
  items: readonly SentItem[];
  /** Ids of the items as they are stored. */
  ids: readonly string[];
  /** Another number: other items. */
  revision: number;
}

/**
 * The items of a conversation.
 * @param before id of a response: without the items that it added, when it is made again
 * @throws InferenceError `not_found`
 */
export async function readConversation(
  id: string,
  owner: string,
  context: HttpContext,
  before?: string,
): Promise<ConversationTurn> {
  const state = await context.responses?.();
  const found = await state?.conversations.itemsOf(owner, id, before);
  if (!found) throw unknownConversation(id, 'conversation');
  const ids = found.items.map((item) => item.id);
  return { id, items: readItems(found.items, 'conversation', context), ids, revision: found.revision };
}

/** A caller that asks for a conversation that is not stored. */
export function unknownConversation(id: string, param: string): InferenceError {
  return new InferenceError('not_found', `There is no conversation \`${id.slice(0, 100)}\` here.`, { param });
}

/**
 * Items that were stored.
 * @throws InferenceError `invalid_request` for those of a service with other rules, which this one cannot read
 */
export function readItems(
  items: readonly StoredItem[],
  param: string,
  { compatibility }: HttpContext,
): readonly SentItem[] {
  if (items.length === 0) return [];
  const result = safeParse(inputSchema(compatibility), items);
  if (!result.success || typeof result.output === 'string') {
    const message = `\`${param}\` refers to an item that this service does not support.`;
    throw new InferenceError('invalid_request', message, { param });
  }
  return result.output.filter((item) => item.type !== 'item_reference');
}

/** What ids of items begin with. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
  file_search_call: 'fs',
};

/**
 * The items of a request as they are stored and listed: each with an id, messages with parts.
 * @param createId makes an id from what it begins with
 */
export function toStoredItems(sent: string | readonly object[], createId: (prefix: string) => string): StoredItem[] {
  const items = typeof sent === 'string' ? [{ type: 'message', role: 'user', content: sent }] : sent;
  return items.map((each) => {
    const item: Record<string, unknown> = { ...each };
    const type = typeof item['type'] === 'string' ? item['type'] : 'message';
    const id =
      typeof item['id'] === 'string' && item['id'] !== ''
        ? item['id']
        : createId(ownEntry(ID_PREFIXES, type) ?? 'item');
    return type === 'message' ? { ...item, ...asMessage(item), id } : { ...item, type, id };
  });
}

function asMessage({ role, status, content }: Record<string, unknown>): object {
  const isAnswer = role === 'assistant';
  const text = (said: string): object =>
    isAnswer ? { type: 'output_text', text: said, annotations: [] } : { type: 'input_text', text: said };
  const parts = typeof content === 'string' ? [text(content)] : content;
  return { type: 'message', role, status: status ?? 'completed', content: parts };
}

/** A list of items as clients page through it. @throws InferenceError `invalid_request` about the query */
export function listItems(items: readonly StoredItem[], query: (name: string) => string | undefined): object {
  const order = query('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidQuery('order', 'must be `asc` or `desc`');
  const limit = Number(query('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalidQuery('limit', 'must be an integer from 1 to 100');
  const ordered = order === 'asc' ? items : items.toReversed();
  const after = query('after');
  const index = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && index < 0) throw invalidQuery('after', 'must be the id of an item of the list');
  const data = ordered.slice(index + 1, index + 1 + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: ordered.length > index + 1 + limit,
  };
}

function invalidQuery(param: string, rule: string): InferenceError {
  return new InferenceError('invalid_request', `\`${param}\` ${rule}.`, { param });
}
