/** Vector stores, their files and batches as clients see them. @module */
import type { BatchRecord, Chunking, MemberRecord } from '../../files/records.js';
import { countFiles, type StoreFacts } from '../../files/store-records.js';

export function toStoreObject({ store, counts, usageBytes, expiresAt }: StoreFacts) {
  const isBusy = counts.in_progress > 0;
  return {
    id: store.id,
    object: 'vector_store',
    created_at: store.createdAt,
    name: store.name,
    description: store.description,
    status: store.isExpired ? 'expired' : isBusy ? 'in_progress' : 'completed',
    usage_bytes: usageBytes,
    file_counts: counts,
    metadata: store.metadata,
    last_active_at: store.lastActiveAt,
    ...(store.expiresAfterDays !== undefined && {
      expires_after: { anchor: 'last_active_at', days: store.expiresAfterDays },
    }),
    expires_at: expiresAt ?? null,
  };
}

export function toMemberObject(member: MemberRecord, store: string) {
  return {
    id: member.id,
    object: 'vector_store.file',
    created_at: member.createdAt,
    vector_store_id: store,
    status: member.status,
    last_error: member.error,
    usage_bytes: member.index?.bytes ?? 0,
    attributes: member.attributes,
    chunking_strategy: { type: 'static', static: toStaticChunks(member.chunks) },
  };
}

function toStaticChunks({ max, overlap }: Chunking) {
  return { max_chunk_size_tokens: max, chunk_overlap_tokens: overlap };
}

export function toBatchObject({ id, createdAt, members, isCancelled }: BatchRecord, store: string) {
  const counts = countFiles(Object.values(members));
  const isBusy = counts.in_progress > 0;
  return {
    id,
    object: 'vector_store.files_batch',
    created_at: createdAt,
    vector_store_id: store,
    status: isCancelled ? 'cancelled' : isBusy ? 'in_progress' : 'completed',
    file_counts: counts,
  };
}
