/** JSON Schemas of what the endpoints of files answer. @module */
import {
  anyObject,
  boolean,
  byName,
  either,
  integer,
  list,
  number,
  object,
  oneOf,
  only,
  orNull,
  text,
  type JsonSchema,
} from './json-schema.js';

export const file = object(
  { id: text, object: only('file'), bytes: integer, created_at: integer, filename: text, purpose: text, status: text },
  { expires_at: integer },
);

const fileCounts = object({
  in_progress: integer,
  completed: integer,
  failed: integer,
  cancelled: integer,
  total: integer,
});

export const vectorStore = object(
  {
    id: text,
    object: only('vector_store'),
    created_at: integer,
    name: text,
    description: orNull(text),
    status: oneOf('in_progress', 'completed', 'expired'),
    usage_bytes: integer,
    file_counts: fileCounts,
    metadata: byName(text),
    last_active_at: integer,
    expires_at: orNull(integer),
  },
  { expires_after: object({ anchor: text, days: integer }) },
);

const memberStatus = oneOf('in_progress', 'completed', 'cancelled', 'failed');
const attributes = byName(either(text, number, boolean));

export const member = object({
  id: text,
  object: only('vector_store.file'),
  created_at: integer,
  vector_store_id: text,
  status: memberStatus,
  last_error: orNull(object({ code: text, message: text })),
  usage_bytes: integer,
  attributes,
  chunking_strategy: object({ type: only('static'), static: anyObject }),
});

export const batch = object({
  id: text,
  object: only('vector_store.files_batch'),
  created_at: integer,
  vector_store_id: text,
  status: memberStatus,
  file_counts: fileCounts,
});

export const pageOf = (item: JsonSchema): JsonSchema =>
  object({ object: only('list'), data: list(item), first_id: orNull(text), last_id: orNull(text), has_more: boolean });

export const removed = (of: string): JsonSchema => object({ id: text, object: only(of), deleted: boolean });

const textPart = object({ type: only('text'), text });
const page = { has_more: boolean, next_page: { type: 'null' } };

export const fileText = object({
  object: only('vector_store.file_content.page'),
  data: list(textPart),
  ...page,
});

export const searchResults = object({
  object: only('vector_store.search_results.page'),
  search_query: list(text),
  data: list(object({ file_id: text, filename: text, score: number, attributes, content: list(textPart) })),
  ...page,
});
