/** How a model wants its tokens pooled: by sentence-transformers' files, by its family, else the mean. @module */
import type { Pooling } from './pool-vectors.js';

/** What a model's own files say. */
export interface PoolingFiles {
  /** `1_Pooling/config.json` of sentence-transformers. */
  pooling?: unknown;
  /** Hub id or folder name. */
  name: string;
}

/** Families that are published for transformers.js without their pooling file. */
const FAMILIES: readonly [RegExp, Pooling][] = [
  [/\bbge-|snowflake-arctic-embed|mxbai-embed|\bgte-(base|large)-en-v1\.5/i, 'cls'],
  [/qwen3-embedding|e5-mistral|gte-qwen/i, 'last-token'],
];

/** The pooling to use; `mean` when nothing is known, as most sentence models have it. */
export function poolingOf(files: PoolingFiles): Pooling {
  if (typeof files.pooling === 'object' && files.pooling !== null) {
    const config = files.pooling as Record<string, unknown>;
    if (config['pooling_mode_cls_token'] === true) return 'cls';
    if (config['pooling_mode_lasttoken'] === true) return 'last-token';
    if (config['pooling_mode_mean_tokens'] === true) return 'mean';
  }
  return FAMILIES.find(([pattern]) => pattern.test(files.name))?.[1] ?? 'mean';
}
