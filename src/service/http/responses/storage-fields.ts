/** Fields of a response's request that ask for something stored between requests. @module */
import * as v from 'valibot';
import { object } from '../fields/json-object.js';

/** A field that asks for something that is not stored between requests. */
export const refused = v.nullish(
  v.never('is not supported, because nothing is stored between requests: see the option `storeResponses`'),
);

/** A conversation by its id. */
const conversation = v.nullish(
  v.union([v.string(), object({ id: v.string() })], 'must be the id of a conversation, or an object with its `id`'),
);

/** `auto`: a prompt that does not fit loses its beginning. */
const truncation = v.nullish(v.picklist(['auto', 'disabled']));

const NOT_STORED = 'must be false, because nothing is stored between requests: see the option `storeResponses`';
const STATELESS = { previous_response_id: refused, conversation: refused, background: v.nullish(v.literal(false)) };

/** Those fields by what the service does with them. */
export const STORAGE_FIELDS = {
  refused: { ...STATELESS, store: v.nullish(v.literal(false, NOT_STORED)), truncation: v.optional(v.unknown()) },
  ignored: { ...STATELESS, store: v.nullish(v.boolean()), truncation },
  offered: {
    previous_response_id: v.nullish(v.string()),
    conversation,
    background: v.nullish(v.boolean()),
    store: v.nullish(v.boolean()),
    truncation,
  },
};

/** The conversation that a response is made in. */
export function conversationOf({
  conversation: named,
}: {
  conversation?: string | { id: string } | null | undefined;
}): string | undefined {
  return typeof named === 'object' ? named?.id : named;
}
