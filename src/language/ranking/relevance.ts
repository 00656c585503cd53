/** Scores of documents. @module */
import { WrongOutput } from '../../core/errors/wrong-output.js';

/**
 * From 0 to 1: the sigmoid of a single logit, else the share of the relevant label in the softmax.
 * @param logits of one pair, one for each label
 * @throws WrongOutput when they give no score
 */
export function relevance(logits: ArrayLike<number>, relevant: number): number {
  const score = logits.length === 1 ? 1 / (1 + Math.exp(-logits[0]!)) : softmax(Array.from(logits), relevant);
  if (!Number.isNaN(score)) return score;
  throw new WrongOutput('the logits of a document give no score, because some are NaN, infinite or missing');
}

function softmax(values: readonly number[], label: number): number {
  const most = Math.max(...values);
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0);
  return Math.exp(values[label]! - most) / sum;
}
