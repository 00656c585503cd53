/** The bodies of the operations below /vector_stores. @module */
import * as v from 'valibot';
import type { Chunking } from '../../files/records.js';
import { object, withoutArrays } from '../fields/json-object.js';
import { metadata } from '../fields/metadata.js';
import { attributes, searchFields } from '../fields/search-fields.js';

/** Most files that are named at once. */
const MAX_FILES = 500;

const integer = v.pipe(v.number(), v.integer());

const staticChunks = v.pipe(
  object({
    max_chunk_size_tokens: v.pipe(integer, v.minValue(100), v.maxValue(4096)),
    chunk_overlap_tokens: v.pipe(integer, v.minValue(0)),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { max_chunk_size_tokens: max, chunk_overlap_tokens: overlap } = dataset.value;
    if (overlap * 2 <= max) return;
    const at = {
      type: 'object',
      origin: 'value',
      input: dataset.value,
      key: 'chunk_overlap_tokens',
      value: overlap,
    } as const;
    addIssue({ message: 'must be at most half of `max_chunk_size_tokens`', path: [at] });
  }),
);

const chunkingStrategy = v.nullish(
  withoutArrays(
    v.variant('type', [
      object({ type: v.literal('auto') }),
      object({ type: v.literal('static'), static: staticChunks }),
    ]),
  ),
);

type ChunkingStrategy = v.InferOutput<typeof chunkingStrategy>;

/** Undefined: as the model reads. */
export function toChunking(strategy: ChunkingStrategy): Chunking | undefined {
  if (strategy?.type !== 'static') return undefined;
  const { max_chunk_size_tokens: max, chunk_overlap_tokens: overlap } = strategy.static;
  return { max, overlap };
}

const expiresAfter = v.nullish(
  object({ anchor: v.literal('last_active_at'), days: v.pipe(integer, v.minValue(1), v.maxValue(365)) }),
);

export const storeSchema = object({
  name: v.nullish(v.string()),
  description: v.nullish(v.string()),
  file_ids: v.nullish(v.pipe(v.array(v.string()), v.maxLength(MAX_FILES))),
  chunking_strategy: chunkingStrategy,
  expires_after: expiresAfter,
  metadata,
});

export const storeChangeSchema = object({ name: v.nullish(v.string()), expires_after: expiresAfter, metadata });

export const memberSchema = object({
  file_id: v.string(),
  attributes: v.nullish(attributes),
  chunking_strategy: chunkingStrategy,
});

export const memberChangeSchema = object({ attributes: v.nullable(attributes) });

export const batchSchema = object({
  file_ids: v.nullish(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_FILES))),
  files: v.nullish(v.pipe(v.array(memberSchema), v.minLength(1), v.maxLength(MAX_FILES))),
  attributes: v.nullish(attributes),
  chunking_strategy: chunkingStrategy,
});

const query = v.pipe(v.string(), v.minLength(1));

export const searchSchema = object({
  query: v.union([query, v.pipe(v.array(query), v.minLength(1), v.maxLength(16))]),
  ...searchFields,
  rewrite_query: v.nullish(v.boolean()),
});
