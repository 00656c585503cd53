/** References to items of late answers, replaced by the items. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ResponseInput, SentItem } from './input-schema.js';

/**
 * Every item itself, in order.
 * @param find an item that this engine made and still knows
 * @throws InferenceError `invalid_request` for a reference to any other
 */
export function resolveReferences(
  input: ResponseInput,
  find: (id: string) => SentItem | undefined,
): string | SentItem[] {
  if (typeof input === 'string') return input;
  return input.map((item, index) => {
    if (item.type !== 'item_reference') return item;
    const found = find(item.id);
    if (found) return found;
    const param = `input.${index}`;
    const message = `\`${param}\` refers to an item that is not kept here. Send the item itself: clients do with \`store: false\`.`;
    throw new InferenceError('invalid_request', message, { param });
  });
}
