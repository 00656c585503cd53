/** Lists that clients page through by the ids of items. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** How a list may be asked for. */
interface PageRules {
  maxLimit: number;
  limit: number;
  /** Whether it can be paged through backwards, too. */
  hasBefore?: boolean;
}

interface ListPage<Item> {
  object: 'list';
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

type Query = (name: string) => string | undefined;

/**
 * A page of a list.
 * @param items the oldest first
 * @throws InferenceError `invalid_request` about the query
 */
export function listPage<Item extends { id: string }>(
  items: readonly Item[],
  query: Query,
  { maxLimit, limit: usual, hasBefore = false }: PageRules,
): ListPage<Item> {
  const limit = readLimit(query('limit'), usual, maxLimit);
  const order = query('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidQuery('order', 'must be `asc` or `desc`');
  const ordered = order === 'asc' ? [...items] : items.toReversed();
  const after = query('after');
  const before = hasBefore ? query('before') : undefined;
  const first = after === undefined ? 0 : indexOf(ordered, after, 'after') + 1;
  const end = before === undefined ? ordered.length : indexOf(ordered, before, 'before');
  const between = ordered.slice(first, Math.max(first, end));
  // Backwards, the page is what lies directly before.
  const isBackwards = before !== undefined && after === undefined;
  const data = isBackwards ? between.slice(Math.max(0, between.length - limit)) : between.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: between.length > data.length,
  };
}

function readLimit(given: string | undefined, usual: number, most: number): number {
  if (given === undefined) return usual;
  const limit = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > most) throw invalidQuery('limit', `must be an integer from 1 to ${most}`);
  return limit;
}

function indexOf(items: readonly { id: string }[], id: string, param: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw invalidQuery(param, 'must be the id of an item of the list');
  return index;
}

/** @throws InferenceError unless the query has none of this name, or one of these values */
export function readChoice<const Value extends string>(
  query: Query,
  param: string,
  values: readonly Value[],
): Value | undefined {
  const given = query(param);
  if (given === undefined) return undefined;
  const known = values.find((value) => value === given);
  if (known !== undefined) return known;
  throw invalidQuery(param, `must be one of: ${values.map((value) => `\`${value}\``).join(', ')}`);
}

function invalidQuery(param: string, rule: string): InferenceError {
  return new InferenceError('invalid_request', `\`${param}\` ${rule}.`, { param });
}

/** How such a list is described. */
export function pageQuery({ maxLimit, limit, hasBefore = false }: PageRules) {
  return {
    limit: {
      description: 'At most this many items.',
      schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: limit },
    },
    order: {
      description: '`asc`: the oldest item first.',
      schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
    },
    after: { description: 'The items after the one with this id.', schema: { type: 'string' } },
    ...(hasBefore && { before: { description: 'The items before the one with this id.', schema: { type: 'string' } } }),
  };
}
