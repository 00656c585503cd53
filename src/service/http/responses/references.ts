/** Items that a request names by their ids instead of sending them. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { StoredItem } from '../../state/records.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { ResponseInput, SentItem } from './input-schema.js';
import { ownerOf } from '../fields/owner-of.js';
import { readItems } from './stored-items.js';

/** Whose items may be named; see `HttpEnvironment`. */
export interface ItemOwner {
  caller: string;
  partition: string | undefined;
}

/** What a request sends of its own. */
export interface OwnInput {
  /** As the model reads it, without references. */
  items: string | SentItem[];
  /** As it was sent, references replaced by what they refer to. Checked items lack what nobody here reads. */
  sent: string | readonly object[];
}

/**
 * Every item itself, in order.
 * @param checked the input, and `sent` before it was checked
 * @param field of the body, for the error
 * @throws InferenceError `invalid_request` for a reference to an item that is not known
 */
export async function resolveReferences(
  { checked, sent }: { checked: ResponseInput; sent: unknown },
  owner: ItemOwner,
  context: HttpContext,
  field = 'input',
): Promise<OwnInput> {
  if (typeof checked === 'string') return { items: checked, sent: checked };
  const found = await findItems(
    checked.flatMap((item) => (item.type === 'item_reference' ? [item.id] : [])),
    owner,
    context,
  );
  const raw: readonly unknown[] = Array.isArray(sent) ? sent : [];
  const pairs = checked.map((item, index): { item: SentItem; sent: object } => {
    const each = raw[index];
    if (item.type !== 'item_reference') return { item, sent: typeof each === 'object' && each ? each : item };
    const stored = found.get(item.id);
    const param = `${field}.${index}`;
    if (!stored) throw unknownItem(param);
    // None: a reference to a reference.
    const [read] = readItems([stored], param, context);
    if (!read) throw unknownItem(param);
    return { item: read, sent: stored };
  });
  return { items: pairs.map(({ item }) => item), sent: pairs.map((pair) => pair.sent) };
}

/** Items of late answers, and of responses and conversations that are stored. */
async function findItems(
  ids: readonly string[],
  { caller, partition }: ItemOwner,
  context: HttpContext,
): Promise<Map<string, StoredItem>> {
  const found = new Map<string, StoredItem>();
  for (const id of ids) {
    const item = context.recentItems.find(caller, id);
    if (item) found.set(id, item);
  }
  const others = ids.filter((id) => !found.has(id));
  const state = others.length === 0 ? undefined : await context.responses?.();
  const stored = (await state?.findItems(ownerOf(partition), others)) ?? [];
  for (const item of stored) found.set(item.id, item);
  return found;
}

function unknownItem(param: string): InferenceError {
  const message = `\`${param}\` refers to an item that is not stored here. Send the item itself, as clients do with \`store: false\`.`;
  return new InferenceError('invalid_request', message, { param });
}
