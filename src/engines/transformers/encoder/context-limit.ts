/** How much an encoder reads at once. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';

/** Of an encoder of which nothing says it. */
const ASSUMED = 512;

/**
 * Tokens of one input, control tokens included: the smallest limit of the model's config, its tokenizer and its entry.
 * @param config parsed `config.json`
 * @param tokenizerLimit `model_max_length` of the tokenizer
 */
export function contextLimit(
  config: Readonly<Record<string, unknown>>,
  tokenizerLimit: number,
  { contextLength }: Pick<ModelEntry, 'contextLength'>,
): number {
  const limits = [config['max_position_embeddings'], tokenizerLimit, contextLength].filter(
    // Tokenizers write "no limit" as a number near 1e30.
    (limit): limit is number => typeof limit === 'number' && limit > 0 && limit < 1e9,
  );
  return limits.length > 0 ? Math.min(...limits) : ASSUMED;
}
