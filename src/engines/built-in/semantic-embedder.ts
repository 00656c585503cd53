/** The part of the browser's `SemanticEmbedder` that is used here. @module */
import type { Availability, CreateOptions } from './create-session.js';

/** What the vectors are for. */
export const TASK_TYPES = [
  'retrieval-query',
  'retrieval-document',
  'semantic-similarity',
  'clustering',
  'classification',
] as const;

/** @see TASK_TYPES */
export type TaskType = (typeof TASK_TYPES)[number];

/** A model that is ready. */
export interface SemanticEmbedderSession {
  embed(
    input: string[],
    settings: { taskType?: TaskType; signal: AbortSignal },
  ): Promise<{ embeddings: { values: Float32Array }[] }>;
  destroy(): void;
}

/** The interface itself. */
export interface SemanticEmbedderFactory {
  availability(): Promise<Availability>;
  create(settings: CreateOptions): Promise<SemanticEmbedderSession>;
}
